import { setTimeout as sleep } from 'node:timers/promises';
import { Counter } from 'prom-client';
import { type Allowance, full, spend } from './allowance.ts';
import { createLru } from './lru.ts';
import { networkOf } from './network.ts';

/** How many bad keys and tokens an address (of IPv6 a /64) may present before its answers are delayed. A house with a revoked key presents fewer. */
const AT_ONCE = { burst: 100, perSecond: 10 } as const;

/** The delay, in milliseconds. */
const SLOW_MS = 1_000;

/** How many answers may wait at most, as each holds a little memory. Beyond that they go at once, which costs least. */
const WAITING_MOST = 10_000;

/** How many addresses are remembered. */
const ADDRESSES = 10_000;

const badCalls = new Counter({
  name: 'tocsin_bad_credentials_total',
  help: 'Calls with a missing or bad key or token, by door (http, rpc), and whether their address was answered at once or slowly.',
  labelNames: ['door', 'answered'],
});

/** Delays answers to addresses that guess keys or tokens (DECISIONS.md "401"). Calls with a good one never come here. */
export interface BadCallers {
  /** Records a missing or bad credential from this address. Resolves when the answer, which is always the same, may be sent. */
  turnedAway(address: string): Promise<void>;
}

/** Creates the limiter of one door. `now` returns milliseconds of a monotonic clock; `wait` takes milliseconds. */
export function createBadCallers(
  door: 'http' | 'rpc',
  {
    now = () => performance.now(),
    wait = ms => sleep(ms, undefined, { ref: false }),
  }: { now?(): number; wait?(ms: number): Promise<unknown> } = {},
): BadCallers {
  const networks = createLru<string, Allowance>(ADDRESSES);
  let waiting = 0;

  function allowanceOf(address: string, at: number): Allowance {
    const network = networkOf(address);
    const known = networks.get(network);
    if (known !== undefined) return known;
    const made = full(AT_ONCE, at);
    networks.set(network, made);
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

/** Delays nobody, for RATE_LIMITS=off. */
export const NO_BAD_CALLERS: BadCallers = { turnedAway: async () => {} };
