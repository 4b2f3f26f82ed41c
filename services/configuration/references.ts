import { shown } from '../process/text.ts';
import { say } from '../rpc/reader.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';
import { type FieldFault, mismatchOf, type ThingUser } from './errors.ts';
import { nearKeys } from './no-such.ts';
import { type ReadOn, readKeys } from './read.ts';
import type { Document, Reference, ReferredKind, Resource, ResourceKind } from './resource.ts';
import { resourceOf } from './resources.ts';

/** A new or changed thing with its references. */
export interface Naming {
  resource: Resource;
  id: string;
  after: Document;
  /** As it was; null if it is new. What it referred to then is still there, as nothing goes that is in use. */
  before: Document | null;
}

/**
 * Replaces keys by ids and reports references to things that do not exist. Things created in the same change may be
 * referred to by their id. Call it under the account's lock.
 */
export async function takeReferences(
  on: Pick<ReadOn, 'em' | 'accountId'>,
  namings: readonly Naming[],
): Promise<FieldFault[]> {
  const references = namings.flatMap(({ resource, after, before }) => {
    const known = new Set((before === null ? [] : resource.references(before)).map(nameOf));
    return resource.references(after).filter(reference => !known.has(nameOf(reference)));
  });
  const faults: FieldFault[] = [];
  for (const [kind, named] of Map.groupBy(references, ({ kind }) => kind)) {
    const names = named.map(one => one.named);
    const living = await livingOf(on, resourceOf(kind), [...new Set(names)]);
    for (const { resource, id, after } of namings) {
      if (resource.kind === kind) for (const name of [after.key, id]) living.set(name, id);
    }
    const near = await nearKeys(
      on,
      resourceOf(kind),
      names.filter(name => !living.has(name)),
    );
    for (const reference of named) {
      const { named: name, path } = reference;
      const id = living.get(name);
      if (id !== undefined) reference.take(id);
      else faults.push({ field: path, problem: unknownReference(kind, name, near.get(name) ?? '') });
    }
  }
  return faults;
}

const nameOf = ({ kind, named }: Pick<Reference, 'kind' | 'named'>) => `${kind} ${named}`;

function unknownReference(kind: ReferredKind, named: string, near: string): string {
  const { didYouMean, referenceTo } = say().accepts;
  return `${mismatchOf(referenceTo(kind), named)}${near === '' ? '' : didYouMean(shown(near))}`;
}

/** Returns the things referred to, by id and by key; an id takes precedence over an equal key. */
async function livingOf(
  on: Pick<ReadOn, 'em' | 'accountId'>,
  resource: Resource,
  named: string[],
): Promise<Map<string, string>> {
  const rows = await readKeys(on, resource, { $or: [{ id: { $in: named } }, { key: { $in: named } }] });
  return new Map([...rows.map(({ id, key }) => [key, id] as const), ...rows.map(({ id }) => [id, id] as const)]);
}

/** Finds who still refers to one of the things $2 of account $1, once all of a change is written. */
const USERS: Partial<Record<ResourceKind, string>> = {
  location: `
SELECT kind, id, key, name FROM source
WHERE account_id = $1 AND location_id = ANY ($2::text[]) AND deleted_at IS NULL ORDER BY seq`,
  policy: `
SELECT 'alarm' AS kind, s.id, s.key, s.name FROM source s
WHERE s.account_id = $1 AND s.id IN (
  SELECT m.source_id FROM mode m WHERE m.account_id = $1 AND m.policy_id = ANY ($2::text[]))
UNION ALL
SELECT 'panic_button', s.id, s.key, s.name FROM source s
WHERE s.account_id = $1 AND s.policy_id = ANY ($2::text[]) AND s.deleted_at IS NULL`,
  contact: `
(SELECT 'policy' AS kind, p.id, p.key, p.name FROM policy p
WHERE p.account_id = $1 AND EXISTS (
  SELECT FROM jsonb_path_query(p.steps, '$[*].contacts[*].contactId') AS told WHERE told #>> '{}' = ANY ($2::text[]))
ORDER BY p.seq)
UNION ALL
(SELECT 'duty', d.id, d.key, d.name FROM duty d
WHERE d.account_id = $1 AND d.contact_ids && $2::text[] ORDER BY d.seq)`,
  duty: `
SELECT 'policy' AS kind, p.id, p.key, p.name FROM policy p
WHERE p.account_id = $1 AND EXISTS (
  SELECT FROM jsonb_path_query(p.steps, '$[*].contacts[*].dutyId') AS told WHERE told #>> '{}' = ANY ($2::text[]))
ORDER BY p.seq`,
  alarm: `
SELECT 'api_key' AS kind, k.id, k.key, k.label AS name FROM api_key k
WHERE k.account_id = $1 AND k.alarm_id = ANY ($2::text[]) AND k.revoked_at IS NULL ORDER BY k.seq`,
};

/** Returns what still uses things that were deleted; empty if nothing does. */
export async function usersOf(
  on: Connection,
  accountId: string,
  kind: ResourceKind,
  ids: readonly string[],
): Promise<ThingUser[]> {
  const text = USERS[kind];
  if (text === undefined || ids.length === 0) return [];
  const statement: Statement<ThingUser> = { name: `console_users_of_${kind}`, text };
  return run(on, statement, [accountId, ids]);
}
