import { shown } from '../process/text.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';
import type { FieldFault } from './errors.ts';
import { nearKey } from './no-such.ts';
import type { Document, ReferredKind, Resource } from './resource.ts';

/** A new or changed thing, as far as what it names is concerned. */
export interface Naming {
  resource: Resource;
  id: string;
  after: Document;
}

/** What lives in an account and may be named: `living` is a SELECT of id and key of account $1. */
const LIVING: Record<ReferredKind, string> = {
  location: 'SELECT id, key FROM location WHERE account_id = $1 AND deleted_at IS NULL',
  contact: 'SELECT id, key FROM contact WHERE account_id = $1',
  policy: 'SELECT id, key FROM policy WHERE account_id = $1',
  alarm: "SELECT id, key FROM source WHERE account_id = $1 AND kind = 'alarm' AND deleted_at IS NULL",
};

/**
 * Puts ids in the place of keys, and says what is named and is not there. What is made in the same change may be named by
 * its id. Belongs under the account's lock.
 */
export async function takeReferences(
  on: Connection,
  accountId: string,
  namings: readonly Naming[],
): Promise<FieldFault[]> {
  const references = namings.flatMap(({ resource, after }) => resource.references(after));
  const faults: FieldFault[] = [];
  for (const [kind, named] of Map.groupBy(references, ({ kind }) => kind)) {
    const living = await livingOf(on, accountId, kind, [...new Set(named.map(one => one.named))]);
    for (const { resource, id, after } of namings) {
      if (resource.kind === kind) for (const name of [after.key, id]) living.set(name, id);
    }
    for (const reference of named) {
      const id = living.get(reference.named);
      if (id !== undefined) reference.take(id);
      else {
        const near = await nearKey(on, accountId, kind, reference.named);
        faults.push({ field: reference.path, problem: unknownReference(kind, reference.named, near) });
      }
    }
  }
  return faults;
}

function unknownReference(kind: ReferredKind, named: string, near: string): string {
  const meant = near === '' ? '' : ` Did you mean ${shown(near)}?`;
  return `takes the id or the key of ${kind === 'alarm' ? 'an' : 'a'} ${kind} of this account, got ${shown(named)}.${meant}`;
}

/** What is named, by id and by key; an id goes before an equal key. */
async function livingOf(
  on: Connection,
  accountId: string,
  kind: ReferredKind,
  named: readonly string[],
): Promise<Map<string, string>> {
  const statement: Statement<{ id: string; key: string }> = {
    name: `console_living_${kind}`,
    text: `${LIVING[kind]} AND (id = ANY ($2::text[]) OR key = ANY ($2::text[]))`,
  };
  const rows = await run(on, statement, [accountId, named]);
  return new Map([...rows.map(({ id, key }) => [key, id] as const), ...rows.map(({ id }) => [id, id] as const)]);
}
