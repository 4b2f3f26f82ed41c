import { backoffMs } from '../../process/backoff.ts';
import { newId } from '../../store/id.ts';
import { CommitLost, type Connection, inSavepoint } from '../../store/statement.ts';
import { logCalls } from '../../store/statements/log.ts';
import { postponeQueued, type QueuedAction } from '../../store/statements/queue.ts';
import { noWrites, writeAll } from '../../store/statements/write.ts';
import { callsGivenUp } from '../metrics.ts';
import { decideWork, type Work } from './decided.ts';
import { type WriteOn, type Written, writeDecided } from './write-decided.ts';

/** How long an action is retried that fails for a reason of its own, in milliseconds. */
const PATIENCE_MS = 10 * 60 * 1000;

/**
 * SQLSTATE classes 21, 22 and 23: the data of this action is wrong, not the moment. A wrong statement (42) is not of its making:
 * all actions meet it, and a mended version applies them.
 */
const WRONG_DATA = /^(21|22|23)[0-9A-Z]{3}$/;

/** SQLSTATEs, and the error codes of a connection. */
const CODED = /^([0-9A-Z]{5}|E[A-Z]+)$/;

/** The pause between two tries, in milliseconds. */
const BACKOFF = { firstMs: 1_000, mostMs: 60_000 };

/**
 * What happened to a source that could not be applied: it waits until a time (milliseconds since 1970), or its first
 * action was given up.
 */
export type Failed = { became: 'waits'; until: number } | ({ became: 'given_up' } & Written);

/**
 * Handles a source that failed. It waits, longer each time, with everything behind it; after ten minutes of failing its
 * first action is given up. Call it inside the transaction that applies the others.
 */
export async function failed(on: WriteOn, work: Work, error: unknown): Promise<Failed> {
  const { row, ready } = work;
  const source = { account: row.accountId, source: row.id };
  const { since, tries } = historyOf(work);
  if (row.now - since >= PATIENCE_MS) {
    const written = await giveUp(on, work);
    callsGivenUp.inc();
    const trace = ready[0]?.traceId;
    on.log.error({ err: error, ...source, trace }, 'a call could not be applied for ten minutes and is given up');
    return { became: 'given_up', ...written };
  }
  const until = row.now + backoffMs(tries + 1, BACKOFF);
  const again = new Date(until).toISOString();
  on.log.error({ err: error, ...source, tries, again }, 'the calls of a source could not be applied; they wait');
  await on.settle([{ row, applied: [], left: ready }]);
  await postponeQueued(on.client, { sourceSeq: row.seq, dueAt: until, now: row.now, tries: tries + 1 });
  return { became: 'waits', until };
}

/**
 * Returns since when the first action has been failing, and how often it was tried. If only a timer is due, the timer.
 */
function historyOf({ row, ready }: Work): { since: number; tries: number } {
  const [first] = ready as readonly Partial<QueuedAction>[];
  if (first === undefined) return { since: row.pending?.dueAt ?? row.now, tries: 0 };
  return { since: first.failingSince ?? row.now, tries: first.tries ?? 0 };
}

/**
 * Gives up the first action. A trigger that cannot be scheduled opens its incident without a plan: it reaches nobody,
 * and its owner is notified at once (DECISIONS.md "Nobody reached"). Anything else ends as `failed`.
 */
async function giveUp(on: WriteOn, work: Work): Promise<Written> {
  const { row } = work;
  const alone: Work = { ...work, ready: work.ready.slice(0, 1) };
  try {
    const decided = decideWork(alone, on, Number.POSITIVE_INFINITY, 'unplannable');
    return await inSavepoint(on.client, () => writeDecided(on, [decided]));
  } catch (error) {
    const [action] = alone.ready;
    if (faultOf(error) === 'database' || action === undefined) throw error;
    const ended = {
      accountSeq: row.accountSeq,
      action,
      outcome: 'failed',
      incidentSeq: null,
      pendingId: null,
    } as const;
    await logCalls(on.client, [ended]);
    await on.settle([{ row, applied: alone.ready, left: [] }]);
    await tellOwner(on.client, row, action.traceId);
    const { traceId, acceptedAt } = action;
    const applied = [{ outcome: 'failed', waitedMs: row.now - acceptedAt, traceId, incidentId: null }];
    return {
      changed: [],
      seen: [],
      scheduled: [],
      notices: 'some',
      left: 'some',
      messages: 0,
      counted: [],
      applied,
      windowsLateMs: [],
    };
  }
}

async function tellOwner(on: Connection, row: Work['row'], traceId: string): Promise<void> {
  const about = { sourceName: row.name, openedAt: new Date(row.now).toISOString() };
  const told = { accountId: row.accountId, id: newId(), kind: 'call_failed', once: traceId, incidentId: null } as const;
  await writeAll(on, { ...noWrites(), notices: [{ ...told, about, at: row.now }] });
}

/**
 * Returns what caused a failure. `database`: the connection, a time limit, a lock, the disk; a retry will succeed once
 * that is over. `action`: the data being applied; a retry fails the same way.
 */
export function faultOf(error: unknown): 'database' | 'action' {
  if (error instanceof CommitLost) return 'database';
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && CODED.test(code)) return WRONG_DATA.test(code) ? 'action' : 'database';
  // The driver's errors for a lost connection have no code.
  return /^(Connection|Client has|timeout exceeded)/.test(String(message)) ? 'database' : 'action';
}
