import { Code, ConnectError } from '@connectrpc/connect';
import type { Logger } from 'pino';
import { type ChangeOn, changeAccount } from '../configuration/change.ts';
import { PLAN } from '../domain/actor.ts';
import { trialEndsAt } from '../domain/plan.ts';
import { readUnchecked } from '../store/statements/plan.ts';

/** The longest rest of the keeper, in milliseconds: an account is 14 days old before there is anything to do for it. */
export const PLANS_POLL_MS = 60_000;

/** How many accounts are looked at in one go. */
const AT_ONCE = 100;

/**
 * Applies the plan's limit of sources when an account's first 14 days end (SPEC.md 8, DECISIONS.md "Downgrade").
 * Returns the look function of a loop: `now` if there may be more, else how long until the next account's days end. Any
 * number of processes may look at once: each account is changed under its lock, and the second one finds nothing left
 * to do. Throws, once all others are done, if one could not be changed.
 */
export function createPlanKeeper(deps: ChangeOn & { log: Logger }): () => Promise<'now' | { inMs: number }> {
  /** Returns what kept it from being done; null if it is done. */
  async function end(accountId: string): Promise<unknown> {
    try {
      await changeAccount(deps, { accountId, actor: PLAN }, open => open.applyPlan());
      deps.log.info({ account: accountId }, 'the first days of an account ended: its plan applies');
      return null;
    } catch (error) {
      // Deleted meanwhile.
      if (error instanceof ConnectError && error.code === Code.NotFound) return null;
      deps.log.error(
        { err: error, account: accountId },
        'the plan of an account could not be applied; it is tried again',
      );
      return error;
    }
  }

  return async () => {
    const unchecked = await readUnchecked(deps.pool, AT_ONCE);
    const inMs = (one: (typeof unchecked)[number]) => trialEndsAt(one.createdAt.getTime()) - one.now.getTime();
    const due = unchecked.filter(one => inMs(one) <= 0);
    const faults: unknown[] = [];
    for (const { accountId } of due) faults.push(await end(accountId));
    const fault = faults.find(one => one !== null);
    if (fault !== undefined) throw fault;
    if (due.length > 0) return 'now';
    const [next] = unchecked;
    return { inMs: next === undefined ? Number.POSITIVE_INFINITY : inMs(next) };
  };
}
