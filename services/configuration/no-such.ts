import type { ConnectError } from '@connectrpc/connect';
import type { InferEntity } from '@mikro-orm/postgresql';
import { SUGGESTED_MOST, suggestion } from '../process/suggest.ts';
import { Source } from '../store/entities/source.ts';
import { noSuch } from './errors.ts';
import { keyFrom } from './fields.ts';
import { type ReadOn, readKeys, readOne } from './read.ts';
import type { Document, Living, OwnedRow, Resource, Stored } from './resource.ts';

/** How many of the newest things are searched for what was meant: reading and comparing them costs milliseconds. */
const LOOKED_AT = 500;

/**
 * Returns the account's own key that was probably meant for each name; none for names that nothing comes near, nor for those
 * beyond the first few.
 */
export async function nearKeys<Row extends OwnedRow>(
  deps: Pick<ReadOn, 'em' | 'accountId'>,
  of: Living<Row>,
  named: Iterable<string>,
): Promise<Map<string, string>> {
  const looked = [...new Set(named)].slice(0, SUGGESTED_MOST);
  if (looked.length === 0) return new Map();
  const rows = await readKeys(deps, of, {}, { orderBy: { seq: 'desc' }, limit: LOOKED_AT });
  const keys = new Set(rows.map(({ key }) => key));
  const near = looked.map(name => {
    // A name instead of the key, such as "The Elms".
    const asKey = keyFrom(name.slice(0, 100));
    return [name, keys.has(asKey) ? asKey : suggestion(asKey, keys)] as const;
  });
  return new Map(near.filter(([, key]) => key !== ''));
}

/** Reads one thing by its id or key. Throws NOT_FOUND. */
export async function thingNamed<Doc extends Document, Row extends OwnedRow>(
  deps: ReadOn,
  resource: Resource<Doc, Row>,
  named: string,
): Promise<Stored<Doc>> {
  const stored = await readOne(deps, resource, named);
  if (stored === null) throw await noSuchThing(deps, resource, named);
  return stored;
}

/** NOT_FOUND for what was named, with what was probably meant. The same for what is somebody else's. */
async function noSuchThing<Row extends OwnedRow>(
  deps: Pick<ReadOn, 'em' | 'accountId'>,
  of: Living<Row>,
  named: string,
): Promise<ConnectError> {
  const near = await nearKeys(deps, of, [named]);
  return noSuch(of.kind, near.get(named) ?? '');
}

const SOURCE: Living<InferEntity<typeof Source>> = {
  kind: 'source',
  entity: Source,
  living: { deletedAt: null },
};

/**
 * Returns the id of a source named by its id or key: an alarm takes precedence over a panic button. Throws NOT_FOUND.
 */
export async function sourceNamed(deps: Pick<ReadOn, 'em' | 'accountId'>, named: string): Promise<string> {
  const rows = await readKeys(deps, SOURCE, { $or: [{ id: named }, { key: named }] }, { orderBy: { kind: 'asc' } });
  const found = rows.find(({ id }) => id === named) ?? rows[0];
  if (found === undefined) throw await noSuchThing(deps, SOURCE, named);
  return found.id;
}
