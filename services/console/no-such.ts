import type { ConnectError } from '@connectrpc/connect';
import type { InferEntity } from '@mikro-orm/postgresql';
import { suggestion } from '../process/suggest.ts';
import { Source } from '../store/entities/source.ts';
import { noSuch } from './errors.ts';
import { keyFrom } from './fields.ts';
import { type ReadOn, readKeys, readOne } from './read.ts';
import type { Document, Living, OwnedRow, Resource, Stored } from './resource.ts';

/** How many of the newest things are searched for what was meant. */
const LOOKED_AT = 2_000;

/** Returns the account's own key that was probably meant; empty if nothing comes near. */
export async function nearKey<Row extends OwnedRow>(
  on: Pick<ReadOn, 'em' | 'accountId'>,
  of: Living<Row>,
  named: string,
): Promise<string> {
  const rows = await readKeys(on, of, {}, { orderBy: { seq: 'desc' }, limit: LOOKED_AT });
  const keys = new Set(rows.map(({ key }) => key));
  // A name instead of the key, such as "The Elms".
  const asKey = keyFrom(named.slice(0, 100));
  return keys.has(asKey) ? asKey : suggestion(asKey, keys);
}

/** Reads one thing by its id or key. Throws NOT_FOUND. */
export async function thingNamed<Doc extends Document, Row extends OwnedRow>(
  on: ReadOn,
  resource: Resource<Doc, Row>,
  named: string,
): Promise<Stored<Doc>> {
  const stored = await readOne(on, resource, named);
  if (stored === null) throw await noSuchThing(on, resource, named);
  return stored;
}

/** NOT_FOUND for what was named, with what was probably meant. The same for what is somebody else's. */
async function noSuchThing<Row extends OwnedRow>(
  on: Pick<ReadOn, 'em' | 'accountId'>,
  of: Living<Row>,
  named: string,
): Promise<ConnectError> {
  return noSuch(of.kind, await nearKey(on, of, named));
}

const SOURCE: Living<InferEntity<typeof Source>> = {
  kind: 'source',
  entity: Source,
  living: { deletedAt: null },
};

/**
 * Returns the id of a source named by its id or key: an alarm takes precedence over a panic button. Throws NOT_FOUND.
 */
export async function sourceNamed(on: Pick<ReadOn, 'em' | 'accountId'>, named: string): Promise<string> {
  const rows = await readKeys(on, SOURCE, { $or: [{ id: named }, { key: named }] }, { orderBy: { kind: 'asc' } });
  const found = rows.find(({ id }) => id === named) ?? rows[0];
  if (found === undefined) throw await noSuchThing(on, SOURCE, named);
  return found.id;
}
