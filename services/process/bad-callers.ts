import { setTimeout as sleep } from 'node:timers/promises';
import { Counter } from 'prom-client';
import { type Allowance, full, spend } from './allowance.ts';
import { createLru } from './lru.ts';

/** How many bad keys and tokens each address may show before it is answered slowly: a house whose key was revoked shows fewer. */
const AT_ONCE = { burst: 100, perSecond: 10 } as const;

/** How slowly, in milliseconds. */
const SLOW_MS = 1_000;

/** How many answers may wait at most: each holds a little memory. Beyond it they go at once, as they cost least then. */
const WAITING_MOST = 10_000;

/** How many addresses are remembered. */
const ADDRESSES = 10_000;

const badCalls = new Counter({
  name: 'tocsin_bad_credentials_total',
  help: 'Calls with a missing or bad key or token, by door (http, rpc), and whether their address was answered at once or slowly.',
  labelNames: ['door', 'answered'],
});

/** Slows whoever tries keys or tokens (DECISIONS.md "401"). A good one behind the same address never comes here. */
export interface BadCallers {
  /** Somebody at this address showed none or a bad one: resolves when the answer, the same as ever, may go. */
  turnedAway(address: string): Promise<void>;
}

/** `now` in milliseconds, by a clock that never goes back; `wait` takes milliseconds. */
export function createBadCallers(
  door: 'http' | 'rpc',
  {
    now = () => performance.now(),
    wait = ms => sleep(ms, undefined, { ref: false }),
  }: { now?(): number; wait?(ms: number): Promise<unknown> } = {},
): BadCallers {
  const addresses = createLru<string, Allowance>(ADDRESSES);
  let waiting = 0;

  function allowanceOf(address: string, at: number): Allowance {
    const known = addresses.get(address);
    if (known !== undefined) return known;
    const made = full(AT_ONCE, at);
    addresses.set(address, made);
    return made;
  }

  return {
    async turnedAway(address) {
      const at = now();
      const within = spend(allowanceOf(address, at), at, AT_ONCE) === 'within';
      if (within || waiting >= WAITING_MOST) return badCalls.inc({ door, answered: 'at_once' });
      badCalls.inc({ door, answered: 'slowly' });
      waiting++;
      await wait(SLOW_MS);
      waiting--;
    },
  };
}

/** Where nobody is to be slowed: RATE_LIMITS=off. */
export const NO_BAD_CALLERS: BadCallers = { turnedAway: async () => {} };
