import { Code, ConnectError } from '@connectrpc/connect';
import { createFair } from '../limits/fair.ts';
import { CHANGES_WAITING_MOST } from '../limits/table.ts';
import { say } from '../rpc/reader.ts';

/**
 * How many changes may hold a connection at once in this process: half of them, so that engine and readers always find
 * one.
 */
const AT_ONCE = 4;

/**
 * How long a change waits for those before it, in milliseconds: as long as a statement would wait for the account's
 * lock.
 */
const PATIENCE_MS = 5_000;

const changes = createFair({
  places: AT_ONCE,
  mayTake: held => held === 0,
  waiting: CHANGES_WAITING_MOST,
  patienceMs: PATIENCE_MS,
});

/**
 * Runs the changes of each account one after the other. If each waited for the account's lock with a connection of its
 * own, none would be left for the engine, and one account's owner could hold up the alarms of all. Throws UNAVAILABLE, and
 * RESOURCE_EXHAUSTED where too many of the account wait already.
 */
export async function inTurn<T>(accountId: string, change: () => Promise<T>): Promise<T> {
  const place = await changes.enter(accountId);
  if (place === 'too_late') throw new ConnectError(say().refusals.tooManyChanges, Code.Unavailable);
  if (place === 'too_many') {
    const most = say().refusals.tooManyWaiting(CHANGES_WAITING_MOST);
    throw new ConnectError(most, Code.ResourceExhausted, { 'retry-after': '1' });
  }
  try {
    return await change();
  } finally {
    place[Symbol.dispose]();
  }
}
