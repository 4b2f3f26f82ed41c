import { Code, ConnectError } from '@connectrpc/connect';
import type { Logger } from 'pino';
import { TEST_END } from '../domain/actor.ts';
import type { NoticeKind } from '../domain/notice.ts';
import { newId } from '../store/id.ts';
import { noWrites, writeAll } from '../store/statements/write.ts';
import { type ChangeOn, changeAccount, type OpenAccount } from './change.ts';
import { editOf } from './edit.ts';
import { readOne } from './read.ts';
import { resourceOf } from './resources.ts';
import { type EndingTest, markTold, readEndingTests, readTestsThatEnd } from './test-statements.ts';
import type { Tested } from './test-switch.ts';

/** The longest rest of the keeper, in milliseconds: an end that was chosen meanwhile is found by then. */
export const TESTS_POLL_MS = 30_000;

/** How many accounts are looked at in one go. */
const AT_ONCE = 100;

/** Beyond that only their number is given. */
const NAMED = 5;

/**
 * Ends tests when their time has come, and tells owners ten minutes before and at the end (DECISIONS.md "A test ends").
 * What is accepted from the end on runs live even before this: accepting goes by the time. Here the switch is written, and
 * open test incidents close as if its owner had let it go live. Returns the look function of a loop. Any number of processes may look at
 * once: each account is changed under its lock. Throws, once all others are done, if one could not be changed.
 */
export function createTestKeeper(
  deps: ChangeOn & { log: Logger; onNotice(): void },
): () => Promise<'now' | { inMs: number }> {
  async function keep(accountId: string): Promise<unknown> {
    try {
      await changeAccount(deps, { accountId, actor: TEST_END }, endTests);
      deps.onNotice();
      return null;
    } catch (error) {
      // Deleted meanwhile.
      if (error instanceof ConnectError && error.code === Code.NotFound) return null;
      deps.log.error({ err: error, account: accountId }, 'a test of an account could not be ended; it is tried again');
      return error;
    }
  }

  return async () => {
    const { due, inMs } = await readTestsThatEnd(deps.pool, AT_ONCE);
    const faults: unknown[] = [];
    for (const accountId of due) faults.push(await keep(accountId));
    const fault = faults.find(one => one !== null);
    if (fault !== undefined) throw fault;
    return due.length > 0 ? 'now' : { inMs: inMs ?? Number.POSITIVE_INFINITY };
  };
}

async function endTests(open: OpenAccount): Promise<void> {
  const { client, accountId } = open;
  const due = await readEndingTests(client, accountId);
  const ended = due.filter(({ state }) => state === 'ended');
  const edits = [];
  for (const { kind, id } of ended) {
    const before = await readOne(open, resourceOf(kind), id);
    if (before === null) continue;
    const live: Tested = { test: false, testUntil: '' };
    edits.push(editOf(resourceOf(kind), id, before, { ...before.doc, ...live }));
  }
  if (edits.length > 0) await open.write(edits);
  await markTold(client, accountId, due);
  await tell(open, 'test_ended', ended);
  await tell(
    open,
    'test_ends',
    due.filter(({ state }) => state === 'ends'),
  );
}

/** One notice for all that end together. */
async function tell(open: OpenAccount, kind: NoticeKind, of: readonly EndingTest[]): Promise<void> {
  const told = of.filter(({ then }) => then === 'live');
  const [first] = told;
  if (first === undefined) return;
  const { accountId, client } = open;
  const { now } = open;
  const id = newId();
  const sources = told.length > NAMED ? told.length : told.map(({ name }) => name).join(', ');
  const about = { sources, until: new Date(first.until).toISOString() };
  await writeAll(client, {
    ...noWrites(),
    notices: [{ accountId, id, kind, once: id, incidentId: null, about, at: now.getTime() }],
  });
}
