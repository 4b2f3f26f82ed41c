import { onTestFinished } from 'vitest';
import type { Call } from '../../support/history.ts';
import { eventually } from '../../support/wait.ts';
import type { Account } from './deployment.ts';

/** How often each alarm is called, in milliseconds, unless its last call is still under way. */
const EVERY_MS = 30;

/** Each shows in the state of the alarm. */
const ACTIONS = ['arm/night', 'trigger', 'clear', 'arm/home', 'trigger', 'clear', 'disarm'];

/** A call, as the checker wants it. */
export interface Made extends Call {
  facade: string;
}

/** A steady load of calls on all alarms of some accounts, through all facades in turn. */
export interface Load {
  /** Every answer since the last `goOn`. */
  readonly answered: Made[];
  /** Calls without an answer since then, and the facade of each. */
  readonly unanswered: Made[];
  /** Calls the alarms of all accounts, from now on. */
  goOn(): void;
  /** Calls each alarm of this account so many times more and then no longer. What is under way ends as it does. */
  rest(account: Account, afterCalls?: number): void;
  /** Waits until nothing of these accounts is called any more. */
  rested(accounts: readonly Account[]): Promise<void>;
  /** Waits until so many more calls were accepted at each of these facades. */
  more(calls: number, facades: readonly string[]): Promise<void>;
}

/**
 * One caller for each alarm, and no call before the answer to its last: what opened twice was then opened so by the product,
 * not by two calls that overtook each other. It ends with the test.
 */
export function startLoad(accounts: readonly Account[], facades: readonly string[]): Load {
  const answered: Made[] = [];
  const unanswered: Load['unanswered'] = [];
  const callers = accounts.flatMap(account =>
    account.alarmIds.map((alarmId, nth) => ({ account, alarmId, turn: nth, left: 0, underWay: false })),
  );
  const callersOf = (some: readonly Account[]) => callers.filter(({ account }) => some.includes(account));

  async function call(caller: (typeof callers)[number]): Promise<void> {
    caller.underWay = true;
    caller.left -= 1;
    const turn = caller.turn++;
    const facade = facades[turn % facades.length]!;
    const action = ACTIONS[turn % ACTIONS.length]!;
    const called = { facade, accountId: caller.account.id, sourceId: caller.alarmId, action };
    const began = performance.now();
    try {
      const path = `alarm/${caller.alarmId}/${action}`;
      const response = await fetch(`${facade}/v1/${path}`, { headers: { 'x-api-key': caller.account.key } });
      const { traceId } = (await response.json()) as { traceId: string };
      answered.push({ ...called, status: response.status, traceId, began, answered: performance.now() });
    } catch {
      unanswered.push({ ...called, status: 'unknown', traceId: null, began, answered: performance.now() });
    }
    caller.underWay = false;
  }

  const timer = setInterval(() => {
    for (const caller of callers) if (!caller.underWay && caller.left > 0) void call(caller);
  }, EVERY_MS);
  onTestFinished(() => clearInterval(timer));

  const acceptedAt = (at: string) => answered.filter(({ facade, status }) => facade === at && status === 202).length;
  return {
    answered,
    unanswered,
    goOn() {
      answered.length = 0;
      unanswered.length = 0;
      for (const caller of callers) caller.left = Number.POSITIVE_INFINITY;
    },
    rest(account, afterCalls = 0) {
      for (const caller of callersOf([account])) caller.left = afterCalls;
    },
    async rested(some) {
      await eventually(() => callersOf(some).every(({ left, underWay }) => left === 0 && !underWay), {
        what: 'every call to be answered',
      });
    },
    async more(calls, at) {
      const wanted = at.map(facade => ({ facade, least: acceptedAt(facade) + calls }));
      await eventually(() => wanted.every(({ facade, least }) => acceptedAt(facade) >= least), {
        what: `${calls} more accepted calls at each of ${at.join(' and ')}`,
      });
    },
  };
}
