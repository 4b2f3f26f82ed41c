import { isDeepStrictEqual } from 'node:util';
import type { PoolClient } from 'pg';
import type { Vouched } from '../domain/verification.ts';
import { saveRows } from '../store/save-rows.ts';
import type { Seal } from '../store/seal.ts';
import { run, type Statement } from '../store/statement.ts';
import type { Edit } from './edit.ts';
import { inUse, invalidFields, keyTaken } from './errors.ts';
import { takeReferences } from './references.ts';
import type { ResourceKind } from './resource.ts';
import { resourceOf } from './resources.ts';
import { usersOf } from './users.ts';

/** How many things are written between two looks at the rest of the world. */
const CHUNK = 500;

/** Where edits are written, and how their addresses are taken. */
interface Into {
  accountId: string;
  seal: Seal;
  vouched: Vouched;
}

/** Writes the edits that change something and gives those; `progress` is called with how many are done. Throws as `write` of change.ts. */
export async function writeEdits(
  client: PoolClient,
  into: Into,
  edits: readonly Edit[],
  progress: (done: number) => void,
): Promise<Edit[]> {
  const { accountId } = into;
  const namings = edits.flatMap(({ resource, id, after }) => (after === null ? [] : [{ resource, id, after }]));
  const unknown = await takeReferences(client, accountId, namings);
  const changing = edits.filter(({ before, after }) => !isDeepStrictEqual(before?.doc, after ?? undefined));
  const excess = changing.flatMap(({ resource, after }) => (after === null ? [] : (resource.excess?.(after) ?? [])));
  if (unknown.length + excess.length > 0) throw invalidFields([...unknown, ...excess]);
  await refuseTakenKeys(client, accountId, changing);

  for (let at = 0; at < changing.length; at += CHUNK) {
    await saveRows(
      client,
      changing.slice(at, at + CHUNK).map(edit => rowsOf(edit, into)),
    );
    progress(Math.min(at + CHUNK, changing.length));
  }
  for (const [kind, gone] of Map.groupBy(
    changing.filter(({ after }) => after === null),
    edit => edit.resource.kind,
  )) {
    const users = await usersOf(
      client,
      accountId,
      kind,
      gone.map(({ id }) => id),
    );
    if (users.length > 0) throw inUse(gone[0]!.resource.word, users);
  }
  return changing;
}

function rowsOf({ resource, id, before, after }: Edit, into: Into) {
  return after === null
    ? resource.gone({ accountId: into.accountId, id })
    : resource.rows({ ...into, id, doc: after, before: before?.doc ?? null });
}

/** Where the living things of a kind stand, for the question whether a key is taken. */
const KEY_TABLES: Record<ResourceKind, string> = {
  location: 'location WHERE deleted_at IS NULL',
  contact: 'contact WHERE true',
  policy: 'policy WHERE true',
  alarm: "source WHERE kind = 'alarm' AND deleted_at IS NULL",
  panic_button: "source WHERE kind = 'panic' AND deleted_at IS NULL",
  api_key: 'api_key WHERE true',
};

async function refuseTakenKeys(client: PoolClient, accountId: string, edits: readonly Edit[]): Promise<void> {
  const keyed = edits.filter(({ before, after }) => after !== null && before?.doc.key !== after.key);
  for (const [kind, ones] of Map.groupBy(keyed, edit => edit.resource.kind)) {
    const [taken] = await takenKeys(
      client,
      accountId,
      kind,
      ones.map(({ after }) => after!.key),
    );
    if (taken !== undefined) throw keyTaken(resourceOf(kind).word, taken);
  }
}

/** Which of these keys are taken in an account. */
export async function takenKeys(
  client: PoolClient,
  accountId: string,
  kind: ResourceKind,
  keys: readonly string[],
): Promise<string[]> {
  const statement: Statement<{ key: string }> = {
    name: `console_taken_${kind}`,
    text: `SELECT key FROM ${KEY_TABLES[kind]} AND account_id = $1 AND key = ANY ($2::text[])`,
  };
  return (await run(client, statement, [accountId, keys])).map(({ key }) => key);
}
