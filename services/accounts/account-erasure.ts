import { setTimeout } from 'node:timers/promises';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Pool } from 'pg';
import type { AccountAccess } from '../rpc/auth.ts';
import { say } from '../rpc/reader.ts';
import { inTransaction } from '../store/statement.ts';
import { beginRemoving } from '../store/statements/retention.ts';
import { markErased, readDeleted } from './deleted-accounts.ts';
import { ERASE_STEPS, type EraseStep } from './statements/erase.ts';

/**
 * How long one call removes rows before it answers, in milliseconds. The answer tells the caller how far it is, and
 * they call again.
 */
const ANSWER_AFTER_MS = 1_000;

/**
 * The longest rest after a transaction, in milliseconds. It rests as long as the transaction took, so that others do
 * not notice.
 */
const MAX_REST_MS = 200;

/** How long to wait while something else is being removed, in milliseconds. */
const BUSY_MS = 20;

/**
 * Removes what a deleted account left: tombstones, keys, history, audit. What remains is who erased which id and when
 * (DECISIONS.md "Deleting an account"). Works in transactions of at most a thousand rows of a table (fewer if they have
 * dependants), one at a time over all processes, together with those of retention. Returns the remaining row, without
 * `erasedAt` if there is more to remove: the next call continues, also after one that was cut short. `removed`: how
 * many rows this call removed. Throws FAILED_PRECONDITION while the account exists.
 */
export async function eraseAccount(pool: Pool, { accountId, actor }: Pick<AccountAccess, 'accountId' | 'actor'>) {
  const deleted = await readDeleted(pool, accountId);
  if (deleted === null) {
    throw new ConnectError(say().refusals.accountStillThere, Code.FailedPrecondition);
  }
  const notYet = { ...deleted, erasedBy: '', erasedAt: undefined };
  const until = performance.now() + ANSWER_AFTER_MS;
  let removed = 0;
  for (const step of ERASE_STEPS) {
    let after: string | null = '';
    while (after !== null) {
      if (performance.now() > until) return { account: notYet, removed };
      const done: Done = await removeSome(pool, step, accountId, after);
      removed += done.rows;
      after = done.next;
    }
  }
  return { account: await markErased(pool, accountId, actor.name), removed };
}

type Done = Awaited<ReturnType<EraseStep>>;

/** Runs one transaction, and rests. Removes nothing if another process is at it. */
async function removeSome(pool: Pool, step: EraseStep, accountId: string, after: string): Promise<Done> {
  const began = performance.now();
  const done = await inTransaction(pool, async client => {
    if ((await beginRemoving(client)) === 'busy') return 'busy';
    return step(client, accountId, after);
  });
  if (done === 'busy') {
    await setTimeout(BUSY_MS);
    return { rows: 0, next: after };
  }
  if (done.rows > 0) await setTimeout(Math.min(performance.now() - began, MAX_REST_MS));
  return done;
}
