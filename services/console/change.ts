import { isDeepStrictEqual } from 'node:util';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Pool, PoolClient } from 'pg';
import type { AccountAccess } from '../auth.ts';
import { merged } from '../change-news.ts';
import type { Bus } from '../changes/bus.ts';
import { subjects } from '../changes/bus.ts';
import { saveRows } from '../store/save-rows.ts';
import type { Seal } from '../store/seal.ts';
import { inTransaction, run, type Statement } from '../store/statement.ts';
import { type AuditRow, writeAudit } from './audit-rows.ts';
import { inTurn } from './change-queue.ts';
import { type Consequences, queueConsequences } from './consequences.ts';
import type { Edit } from './edit.ts';
import { inUse, invalidFields, keyTaken } from './errors.ts';
import type { Document, Noun, NounKind, Stored } from './noun.ts';
import { nounOf } from './nouns.ts';
import { readAll, readOne } from './read.ts';
import { takeReferences } from './references.ts';
import { usersOf } from './users.ts';

export type { Edit } from './edit.ts';

/** What a change needs. */
export interface ChangeOn {
  pool: Pool;
  seal: Seal;
  bus: Bus;
  /** Actions wait for the engine. */
  nudge(): void;
}

/** An account while it is being changed: in one transaction, under its lock. */
export interface OpenAccount {
  client: PoolClient;
  accountId: string;
  actor: string;
  seal: Seal;
  /** One thing by id or key. */
  one<Doc extends Document>(noun: Noun<Doc>, named: string): Promise<Stored<Doc> | null>;
  all<Doc extends Document>(noun: Noun<Doc>): Promise<Stored<Doc>[]>;
  /**
   * Writes the edits that change something, their audit and what follows from them. Documents may name others by id or by
   * key, those made in the same edits too; keys among them are replaced by ids. Throws INVALID_ARGUMENT (something named is
   * not there), ALREADY_EXISTS (a key is taken), FAILED_PRECONDITION (something deleted is still used): then nothing is
   * written at all. `progress` is called with how many are done.
   */
  write(edits: readonly Edit[], progress?: (done: number) => void): Promise<Edit[]>;
  /** A line of the audit for what is not an edit: a secret made, a token revoked. */
  record(row: AuditRow): Promise<void>;
}

const lockStatement: Statement<{ id: string }> = {
  name: 'lock_account',
  text: 'SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE',
};

/** How many things are written between two looks at the rest of the world. */
const CHUNK = 500;

/**
 * The one way in which configuration changes, for RPC and file: one transaction under the account's lock, so that two
 * changes never see each other half done. What follows is announced after the commit.
 */
export async function changeAccount<T>(
  on: ChangeOn,
  access: Pick<AccountAccess, 'accountId' | 'actor'>,
  work: (open: OpenAccount) => Promise<T>,
): Promise<T> {
  const { result, size, announce } = await inTurn(access.accountId, () =>
    inTransaction(on.pool, client => changeWithin(client, on, access, work)),
  );
  announce();
  if (size >= MANY) await refreshStatistics(on.pool);
  return result;
}

/** The same inside a transaction of the caller's, who calls `announce` once it is committed. */
export async function changeWithin<T>(
  client: PoolClient,
  on: Pick<ChangeOn, 'seal' | 'bus' | 'nudge'>,
  { accountId, actor }: Pick<AccountAccess, 'accountId' | 'actor'>,
  work: (open: OpenAccount) => Promise<T>,
): Promise<{ result: T; size: number; announce(): void }> {
  let size = 0;
  const consequences: Consequences[] = [];
  const ofKeys: AuditRow[] = [];
  const locked = await run(client, lockStatement, [accountId]);
  if (locked.length === 0) throw new ConnectError('The account is gone.', Code.NotFound);
  const record = async (rows: readonly AuditRow[]) => {
    ofKeys.push(...rows.filter(({ kind }) => kind === 'api_key'));
    await writeAudit(client, accountId, actor, rows);
  };
  const result = await work({
    client,
    accountId,
    actor,
    seal: on.seal,
    one: (noun, named) => readOne(client, noun, accountId, on.seal, named),
    all: noun => readAll(client, noun, accountId, on.seal),
    async write(edits, progress = () => {}) {
      const written = await writeEdits(client, on.seal, accountId, edits, progress);
      consequences.push(await queueConsequences(client, accountId, actor, written));
      await record(written.map(edit => auditRow(edit, on.seal)));
      size += written.length;
      return written;
    },
    record: row => record([row]),
  });
  return { result, size, announce: () => announce(on, accountId, consequences, ofKeys) };
}

/** From how many changed things on the planner's picture of the tables is too old to plan by. */
const MANY = 1_000;

/** Until the next automatic look, a minute later, a plan made for a small table would read all of a large one. */
async function refreshStatistics(pool: Pool): Promise<void> {
  await pool.query('ANALYZE location, contact, contact_channel, policy, source, source_state, mode').catch(() => {
    // The database does it by itself in a minute.
  });
}

async function writeEdits(
  client: PoolClient,
  seal: Seal,
  accountId: string,
  edits: readonly Edit[],
  progress: (done: number) => void,
): Promise<Edit[]> {
  const namings = edits.flatMap(({ noun, id, after }) => (after === null ? [] : [{ noun, id, after }]));
  const faults = await takeReferences(client, accountId, namings);
  if (faults.length > 0) throw invalidFields(faults);
  const changing = edits.filter(({ before, after }) => !isDeepStrictEqual(before?.doc, after ?? undefined));
  await refuseTakenKeys(client, accountId, changing);

  for (let at = 0; at < changing.length; at += CHUNK) {
    await saveRows(
      client,
      changing.slice(at, at + CHUNK).map(edit => rowsOf(edit, accountId, seal)),
    );
    progress(Math.min(at + CHUNK, changing.length));
  }
  for (const [kind, gone] of Map.groupBy(
    changing.filter(({ after }) => after === null),
    edit => edit.noun.kind,
  )) {
    const users = await usersOf(
      client,
      accountId,
      kind,
      gone.map(({ id }) => id),
    );
    if (users.length > 0) throw inUse(gone[0]!.noun.word, users);
  }
  return changing;
}

function rowsOf({ noun, id, before, after }: Edit, accountId: string, seal: Seal) {
  return after === null
    ? noun.gone({ accountId, id })
    : noun.rows({ accountId, id, doc: after, before: before?.doc ?? null, seal });
}

/** Where the living things of a kind stand, for the question whether a key is taken. */
const KEY_TABLES: Record<NounKind, string> = {
  location: 'location WHERE deleted_at IS NULL',
  contact: 'contact WHERE true',
  policy: 'policy WHERE true',
  alarm: "source WHERE kind = 'alarm' AND deleted_at IS NULL",
  panic_button: "source WHERE kind = 'panic' AND deleted_at IS NULL",
  api_key: 'api_key WHERE true',
};

async function refuseTakenKeys(client: PoolClient, accountId: string, edits: readonly Edit[]): Promise<void> {
  const keyed = edits.filter(({ before, after }) => after !== null && before?.doc.key !== after.key);
  for (const [kind, ones] of Map.groupBy(keyed, edit => edit.noun.kind)) {
    const [taken] = await takenKeys(
      client,
      accountId,
      kind,
      ones.map(({ after }) => after!.key),
    );
    if (taken !== undefined) throw keyTaken(nounOf(kind).word, taken);
  }
}

/** Which of these keys are taken in an account. */
export async function takenKeys(
  client: PoolClient,
  accountId: string,
  kind: NounKind,
  keys: readonly string[],
): Promise<string[]> {
  const statement: Statement<{ key: string }> = {
    name: `console_taken_${kind}`,
    text: `SELECT key FROM ${KEY_TABLES[kind]} AND account_id = $1 AND key = ANY ($2::text[])`,
  };
  return (await run(client, statement, [accountId, keys])).map(({ key }) => key);
}

function auditRow({ noun, action, id, before, after }: Edit, seal: Seal): AuditRow {
  const kept = (doc: Document | undefined) => (doc === undefined ? null : (noun.sealed?.(doc, seal) ?? doc));
  const name = noun.nameOf((after ?? before?.doc)!);
  return { kind: noun.kind, thing_id: id, name, action, before: kept(before?.doc), after: kept(after ?? undefined) };
}

/** After the commit, so that whoever reads on the signal reads the change. */
function announce(
  on: Pick<ChangeOn, 'bus' | 'nudge'>,
  accountId: string,
  consequences: readonly Consequences[],
  ofKeys: readonly AuditRow[],
): void {
  if (consequences.some(({ actions }) => actions === 'queued')) on.nudge();
  for (const signal of merged(consequences.flatMap(({ signals }) => signals))) {
    on.bus.publish(subjects.change(accountId), signal);
  }
  // Whatever became of a key, revoked and rotated included: those who listen with it are asked again whether they may.
  const keyIds = new Set(ofKeys.map(({ thing_id }) => thing_id));
  for (const keyId of keyIds) on.bus.publish(subjects.keyRevoked(keyId));
  if (keyIds.size > 0) on.bus.publish(subjects.keys);
}
