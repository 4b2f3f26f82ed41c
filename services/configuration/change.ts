import { Code, ConnectError } from '@connectrpc/connect';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Pool, PoolClient } from 'pg';
import type { Bus } from '../changes/bus.ts';
import { subjects } from '../changes/bus.ts';
import type { Actor } from '../domain/actor.ts';
import { type Plan, planFacts, planRuleAt } from '../domain/plan.ts';
import { type Vouched, vouchedBy } from '../domain/verification.ts';
import { mergeSignals } from '../inventory/change-news.ts';
import type { Kept } from '../limits/kept.ts';
import type { AccountAccess } from '../rpc/auth.ts';
import { say } from '../rpc/reader.ts';
import type { Seal } from '../store/seal.ts';
import { inTransaction, run, type Statement } from '../store/statement.ts';
import { managerWithin } from '../store/store.ts';
import { type AuditRow, writeAudit } from './audit-rows.ts';
import { inTurn } from './change-queue.ts';
import { type Consequences, isSource, queueConsequences } from './consequences.ts';
import { tellOfExceptions } from './duty-notices.ts';
import type { Edit } from './edit.ts';
import { thingsFull } from './errors.ts';
import { applyPlan, overPlan } from './plan-coverage.ts';
import type { Document } from './resource.ts';
import { writeEdits } from './write-edits.ts';

export type { Edit } from './edit.ts';

/** What a change needs. */
export interface ChangeOn {
  pool: Pool;
  orm: MikroORM;
  seal: Seal;
  bus: Bus;
  /** Notifies the engine that actions wait. */
  nudge(): void;
  /** CONTACT_VERIFICATION. */
  contactVerification: 'required' | 'trusted';
  /** What accounts may make the database keep. */
  kept: Kept;
}

/** Who changes an account. Without a token it is the product itself, which writes no addresses. */
type By = Pick<AccountAccess, 'accountId' | 'actor'> & Partial<Pick<AccountAccess, 'token'>>;

/** The same, and whether they vouch for the addresses they write. */
interface Author extends Pick<AccountAccess, 'accountId' | 'actor'> {
  vouched: Vouched;
  /** Refuses what adds something where there is no room for it. Throws. Absent: there is. */
  askRoom?(): void;
}

/** An account while it is being changed: in one transaction, under its lock. */
export interface OpenAccount {
  client: PoolClient;
  em: EntityManager;
  accountId: string;
  actor: Actor;
  seal: Seal;
  /** The deployment's time. */
  now: Date;
  /**
   * Writes the edits that change something, with their audit and consequences. Documents may refer to others by id or
   * by key, including those created in the same edits; keys are replaced by ids. Throws INVALID_ARGUMENT (something
   * referred to does not exist, or a limit is exceeded), ALREADY_EXISTS (a key is taken), FAILED_PRECONDITION
   * (something deleted is still used, or the plan has no room for a source); nothing at all is written then. `progress`
   * is called with how many are done.
   */
  write(edits: readonly Edit[], progress?: (done: number) => void): Promise<Edit[]>;
  /** Adds an audit entry for what is not an edit: a secret created, a token revoked. */
  record(row: AuditRow): Promise<void>;
  /** Whether the plan covers any number of sources: otherwise a change of one may switch it, or others. */
  plan: 'limited' | 'unlimited';
  /** Switches sources off and on by what the plan covers now: after the plan changed, or the first days ended. */
  applyPlan(): Promise<void>;
}

const lockStatement: Statement<{ now: Date; plan: Plan; createdAt: Date }> = {
  name: 'lock_account',
  text: `
SELECT tocsin_now() AS now, plan, created_at AS "createdAt" FROM account WHERE id = $1 FOR NO KEY UPDATE`,
};

/**
 * The only way in which configuration changes, for RPC and file: one transaction under the account's lock, so that two
 * changes never see each other half done. Consequences are announced after the commit.
 */
export async function changeAccount<T>(
  on: ChangeOn,
  { accountId, actor, token }: By,
  work: (open: OpenAccount) => Promise<T>,
): Promise<T> {
  const vouched = vouchedBy(on.contactVerification);
  // What the product itself has to change it changes.
  const author = {
    accountId,
    actor,
    vouched,
    ...(token !== undefined && { askRoom: () => askRoom(on.kept, accountId) }),
  };
  const { result, size, bytes, announce } = await inTurn(accountId, () =>
    inTransaction(on.pool, client => changeWithin(client, on, author, work)),
  );
  on.kept.take(accountId, 'configuration', bytes);
  announce();
  if (size >= MANY) await refreshStatistics(on.pool);
  return result;
}

/** The same inside a transaction of the caller, who calls `announce` once it is committed. */
export async function changeWithin<T>(
  client: PoolClient,
  on: Pick<ChangeOn, 'orm' | 'seal' | 'bus' | 'nudge' | 'kept'>,
  { accountId, actor, vouched, askRoom = () => {} }: Author,
  work: (open: OpenAccount) => Promise<T>,
): Promise<{ result: T; size: number; bytes: number; announce(): void }> {
  let size = 0;
  let bytes = 0;
  const consequences: Consequences[] = [];
  const ofKeys: AuditRow[] = [];
  const [locked] = await run(client, lockStatement, [accountId]);
  if (locked === undefined) throw new ConnectError(say().refusals.accountGone, Code.NotFound);
  const { sourcesMost } = planRuleAt(planFacts(locked.plan, locked.createdAt.getTime()), locked.now.getTime());
  const plan = sourcesMost === null ? 'unlimited' : 'limited';
  const em = managerWithin(on.orm, client);
  const within = { client, em, accountId, seal: on.seal, vouched, now: locked.now };
  const record = async (rows: readonly AuditRow[]) => {
    ofKeys.push(...rows.filter(({ kind }) => kind === 'api_key'));
    bytes += rows.reduce((sum, row) => sum + bytesOf(row), 0);
    await writeAudit(within, actor, rows);
  };
  const switchByPlan = async () => {
    const { audit, ...follows } = await applyPlan(client, accountId, actor.name);
    consequences.push(follows);
    await record(audit);
  };
  const result = await work({
    client,
    em,
    accountId,
    actor,
    seal: on.seal,
    now: locked.now,
    plan,
    async write(edits, progress = () => {}) {
      if (!edits.every(ends)) askRoom();
      const over = await overPlan(client, accountId, edits);
      if (over !== null) throw over;
      const written = await writeEdits(within, edits, progress);
      await refuseTooMany(within, on.kept, written);
      consequences.push(await queueConsequences(client, accountId, actor.name, written));
      bytes += await tellOfExceptions(client, accountId, written, locked.now);
      await record(written.map(edit => auditRow(edit, on.seal)));
      size += written.length;
      // Without a limit nothing is switched off, so an account of thousands of sources need not be searched.
      if (plan === 'limited' && written.some(isSource)) await switchByPlan();
      return written;
    },
    record(row) {
      if (!ends(row)) askRoom();
      return record([row]);
    },
    applyPlan: switchByPlan,
  });
  return { result, size, bytes, announce: () => announce(on, accountId, consequences, ofKeys) };
}

/** What ends something is done whether there is room or not: a key that leaked, a member who left, what takes up room. */
const ends = ({ action }: Pick<AuditRow, 'action'>) => action === 'delete' || action === 'revoke';

/**
 * Refuses a change that there is no room for (DECISIONS.md "What an account may store", "The last of the disk"). What it takes is
 * known only once it is made, so it is counted then. Throws RESOURCE_EXHAUSTED.
 */
function askRoom(kept: Kept, accountId: string): void {
  const room = kept.take(accountId, 'configuration', 0);
  if (room === 'taken') return;
  const retryAfterS = room === 'disk_low' ? 60 : kept.growsBackS(accountId, 'configuration');
  const why = room === 'disk_low' ? say().refusals.diskLow : say().refusals.changedTooMuch(retryAfterS);
  throw new ConnectError(why, Code.ResourceExhausted, { 'retry-after': String(retryAfterS) });
}

/** Throws FAILED_PRECONDITION where an account has more of a kind than it may, and more than before. */
async function refuseTooMany(
  { em, accountId }: { em: EntityManager; accountId: string },
  kept: Kept,
  written: readonly Edit[],
): Promise<void> {
  for (const resource of new Set(written.filter(({ action }) => action === 'create').map(({ resource }) => resource))) {
    const more = written.filter(edit => edit.resource === resource).reduce((sum, edit) => sum + moreBy(edit), 0);
    const most = kept.thingsMost(resource.kind);
    if (more <= 0 || most === Number.POSITIVE_INFINITY) continue;
    const things = await em.count(resource.entity, { ...(resource.living as object), accountId });
    if (things > most) throw thingsFull(resource.kind, most);
  }
}

const moreBy = ({ action }: Edit) => ({ create: 1, update: 0, delete: -1 })[action];

/** How much the audit keeps of a change, beside what stands in every row. */
const AUDIT_ROW_BYTES = 300;

function bytesOf({ before, after }: AuditRow): number {
  const length = (doc: object | null) => (doc === null ? 0 : JSON.stringify(doc).length);
  return AUDIT_ROW_BYTES + length(before) + length(after);
}

/** From how many changes on the planner's statistics are too outdated to plan by. */
const MANY = 1_000;

/** Until autovacuum analyzes the tables a minute later, a plan made for a small table would read all of a large one. */
async function refreshStatistics(pool: Pool): Promise<void> {
  await pool.query('SELECT tocsin_refresh_statistics()').catch(() => {
    // The database does it by itself in a minute.
  });
}

function auditRow({ resource, action, id, before, after }: Edit, seal: Seal): AuditRow {
  const kept = (doc: Document | undefined) => (doc === undefined ? null : (resource.sealed?.(doc, seal) ?? doc));
  const name = resource.nameOf((after ?? before?.doc)!);
  return {
    kind: resource.kind,
    thingId: id,
    name,
    action,
    before: kept(before?.doc),
    after: kept(after ?? undefined),
  };
}

/** After the commit, so that whoever reads on the signal sees the change. */
function announce(
  on: Pick<ChangeOn, 'bus' | 'nudge'>,
  accountId: string,
  consequences: readonly Consequences[],
  ofKeys: readonly AuditRow[],
): void {
  if (consequences.some(({ actions }) => actions === 'queued')) on.nudge();
  for (const signal of mergeSignals(consequences.flatMap(({ signals }) => signals))) {
    on.bus.publish(subjects.change(accountId), signal);
  }
  // Whatever happened to a key, including revocation and rotation: those listening with it are checked again.
  const keyIds = new Set(ofKeys.map(({ thingId }) => thingId));
  for (const keyId of keyIds) on.bus.publish(subjects.keyRevoked(keyId));
  if (keyIds.size > 0) on.bus.publish(subjects.keys);
}
