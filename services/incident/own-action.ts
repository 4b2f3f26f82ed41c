import { Code, ConnectError } from '@connectrpc/connect';
import type { Pool } from 'pg';
import type { Bus } from '../changes/bus.ts';
import { MOVES_MOST } from '../limits/table.ts';
import type { RateLimit } from '../limits/times.ts';
import { backoffMs } from '../process/backoff.ts';
import { say } from '../rpc/reader.ts';
import { listen } from '../rpc/stream.ts';
import { inTransaction } from '../store/statement.ts';
import { type AppliedAction, appliedAction } from '../store/statements/calls.ts';
import { enqueueOwnActions, type OwnAction } from '../store/statements/queue.ts';

/** How long an action may take before its caller is told to ask later, in milliseconds. */
const WITHIN_MS = 5_000;

/** The pauses between two looks for the outcome, in milliseconds. */
const LOOKS = { firstMs: 5, mostMs: 100 };

/**
 * Stores an action of a person and waits until it is applied (DECISIONS.md "Acknowledge", "Close or acknowledge"), so
 * that the answer is its outcome. Throws DEADLINE_EXCEEDED if it is not applied within `withinMs`, or if the caller
 * goes away: it is stored then and will be applied, and the message says so with its trace id.
 */
export async function applyOwnAction(
  on: { pool: Pool; bus: Bus; nudge(): void },
  action: OwnAction,
  { signal, withinMs = WITHIN_MS }: { signal: AbortSignal; withinMs?: number },
): Promise<AppliedAction> {
  const hints = listen(on.bus, action.accountId);
  try {
    await storeOwnAction(on, action);
    return await lookFor(on, action, hints, { signal, withinMs });
  } finally {
    hints.end();
  }
}

/** Stores an action of a person: whatever happens then, it is applied. */
export async function storeOwnAction(on: { pool: Pool; nudge(): void }, action: OwnAction): Promise<void> {
  // Use a transaction even for one statement: only then a connection lost before is told apart from one lost while
  // storing.
  await inTransaction(on.pool, client => enqueueOwnActions(client, [action]));
  on.nudge();
}

/** Waits until a stored action is applied. Throws like applyOwnAction. */
export async function outcomeOfOwnAction(
  on: { pool: Pool; bus: Bus },
  action: OwnAction,
  { signal, withinMs = WITHIN_MS }: { signal: AbortSignal; withinMs?: number },
): Promise<AppliedAction> {
  const hints = listen(on.bus, action.accountId);
  try {
    return await lookFor(on, action, hints, { signal, withinMs });
  } finally {
    hints.end();
  }
}

async function lookFor(
  { pool }: { pool: Pool },
  action: OwnAction,
  hints: ReturnType<typeof listen>,
  { signal, withinMs }: { signal: AbortSignal; withinMs: number },
): Promise<AppliedAction> {
  const deadline = performance.now() + withinMs;
  for (let looks = 1; ; looks++) {
    await hints.wait(backoffMs(looks, LOOKS), signal);
    // It is stored by now, so ignore a look that fails; otherwise the caller would be told that nothing was accepted.
    const applied = await appliedAction(pool, action.accountId, action.traceId).catch(() => null);
    if (applied !== null) return applied;
    if (signal.aborted || performance.now() > deadline) throw tooLate(action);
  }
}

/** Takes one of what people may do in an incident within an hour. Throws RESOURCE_EXHAUSTED. */
export function takeMove(limit: RateLimit, incidentId: string): void {
  const pass = limit.take(incidentId, performance.now());
  if (pass.kind === 'taken') return;
  const { retryAfterS } = pass;
  const headers = { 'retry-after': String(retryAfterS) };
  throw new ConnectError(say().refusals.tooManyMoves(MOVES_MOST.most, retryAfterS), Code.ResourceExhausted, headers);
}

function tooLate({ verb, traceId }: OwnAction): ConnectError {
  return new ConnectError(say().refusals.notYetApplied(verb, traceId), Code.DeadlineExceeded);
}
