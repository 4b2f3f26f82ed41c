import { Code, ConnectError } from '@connectrpc/connect';
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

interface Waiting {
  accountId: string;
  begin(): void;
}

const changing = new Set<string>();
const waiting: Waiting[] = [];

/**
 * Runs the changes of each account one after the other. If each waited for the account's lock with a connection of its
 * own, none would be left for the engine, and one account's owner could hold up the alarms of all. Throws UNAVAILABLE, and
 * RESOURCE_EXHAUSTED where too many of the account wait already.
 */
export async function inTurn<T>(accountId: string, change: () => Promise<T>): Promise<T> {
  await turnOf(accountId);
  try {
    return await change();
  } finally {
    changing.delete(accountId);
    const next = waiting.findIndex(one => !changing.has(one.accountId));
    if (next >= 0) waiting.splice(next, 1)[0]!.begin();
  }
}

async function turnOf(accountId: string): Promise<void> {
  if (changing.size < AT_ONCE && !changing.has(accountId)) {
    changing.add(accountId);
    return;
  }
  if (waiting.filter(one => one.accountId === accountId).length >= CHANGES_WAITING_MOST) {
    throw new ConnectError(say().refusals.tooManyWaiting(CHANGES_WAITING_MOST), Code.ResourceExhausted, {
      'retry-after': '1',
    });
  }
  await new Promise<void>((resolve, reject) => {
    const one: Waiting = {
      accountId,
      begin() {
        clearTimeout(patience);
        changing.add(accountId);
        resolve();
      },
    };
    const patience = setTimeout(() => {
      waiting.splice(waiting.indexOf(one), 1);
      reject(new ConnectError(say().refusals.tooManyChanges, Code.Unavailable));
    }, PATIENCE_MS);
    waiting.push(one);
  });
}
