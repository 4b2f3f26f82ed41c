import { isDeepStrictEqual } from 'node:util';
import type { PoolClient } from 'pg';
import type { Vouched } from '../domain/verification.ts';
import { removeRows, saveRows } from '../store/save-rows.ts';
import type { Edit } from './edit.ts';
import { inUse, invalidFields, keyTaken } from './errors.ts';
import { type ReadOn, readKeys } from './read.ts';
import { takeReferences, usersOf } from './references.ts';
import type { Resource } from './resource.ts';

/** How many things are written before other work of this process gets a turn. */
const CHUNK = 500;

/**
 * Where edits are written, in an open transaction, and whether their addresses are trusted. `now`: the database's time.
 */
interface Into extends ReadOn {
  client: PoolClient;
  vouched: Vouched;
  now: Date;
}

/**
 * Writes the edits that change something and returns those; `progress` is called with how many are done. Throws like
 * `write` of change.ts.
 */
export async function writeEdits(
  into: Into,
  edits: readonly Edit[],
  progress: (done: number) => void,
): Promise<Edit[]> {
  const namings = edits.flatMap(({ resource, id, after, before }) =>
    after === null ? [] : [{ resource, id, after, before: before?.doc ?? null }],
  );
  const unknown = await takeReferences(into, namings);
  const unsettled = edits.flatMap(({ resource, before, after }) =>
    after === null
      ? []
      : (resource.settle?.(after, before?.doc ?? null, { now: into.now, from: 'request', remains: () => true }) ?? []),
  );
  const changing = edits.filter(({ before, after }) => !isDeepStrictEqual(before?.doc, after ?? undefined));
  const excess = changing.flatMap(({ resource, after }) => (after === null ? [] : (resource.excess?.(after) ?? [])));
  const faults = [...unknown, ...unsettled, ...excess];
  if (faults.length > 0) throw invalidFields(faults);
  await refuseTakenKeys(into, changing);

  for (let at = 0; at < changing.length; at += CHUNK) {
    await writeSome(into, changing.slice(at, at + CHUNK));
    progress(Math.min(at + CHUNK, changing.length));
  }
  for (const [resource, ids] of goneOf(changing)) {
    const users = await usersOf(into.client, into.accountId, resource.kind, ids);
    if (users.length > 0) throw inUse(resource.kind, users);
  }
  return changing;
}

async function writeSome(into: Into, edits: readonly Edit[]): Promise<void> {
  const { client, em, accountId } = into;
  const written = edits.flatMap(({ resource, id, before, after }) =>
    after === null
      ? []
      : [rowsOfChange({ ...into, id, doc: after, before: before?.doc ?? null, known: before?.facts ?? {} }, resource)],
  );
  await removeRows(
    em,
    written.flatMap(({ removed = [] }) => removed),
  );
  await saveRows(
    client,
    em,
    written.flatMap(({ saved }) => saved),
  );
  for (const [resource, ids] of goneOf(edits)) await resource.remove(em, accountId, ids);
}

/** Returns the rows to be written: its own, whose version moves with every change, and of its parts those that differ. */
function rowsOfChange(to: Parameters<Resource['rows']>[0], resource: Resource): ReturnType<Resource['rows']> {
  const { removed = [], saved } = resource.rows(to);
  if (to.before === null) return { removed, saved };
  const was = resource.rows({ ...to, doc: to.before }).saved;
  const differing = saved.map(part => {
    if ((part.entity as unknown) === resource.entity) return part;
    const before = was.filter(({ entity }) => entity === part.entity).flatMap(({ rows }) => rows);
    return { ...part, rows: part.rows.filter(row => !before.some(one => isDeepStrictEqual(one, row))) };
  });
  return { removed, saved: differing };
}

/** Returns the ids of what edits delete, by resource. */
function goneOf(edits: readonly Edit[]): Map<Edit['resource'], string[]> {
  const gone = Map.groupBy(
    edits.filter(({ after }) => after === null),
    ({ resource }) => resource,
  );
  return new Map([...gone].map(([resource, ones]) => [resource, ones.map(({ id }) => id)]));
}

async function refuseTakenKeys(into: Into, edits: readonly Edit[]): Promise<void> {
  const keyed = edits.filter(({ before, after }) => after !== null && before?.doc.key !== after.key);
  for (const [resource, ones] of Map.groupBy(keyed, edit => edit.resource)) {
    const [taken] = await readKeys(into, resource, { key: { $in: ones.map(({ after }) => after!.key) } });
    if (taken !== undefined) throw keyTaken(resource.kind, taken.key);
  }
}
