import { setTimeout as sleep } from 'node:timers/promises';
import { Counter } from 'prom-client';
import { type Allowance, full, spend } from './allowance.ts';
import { createLru } from './lru.ts';
import { networkOf } from './network.ts';

/**
 * How much strangers of one address (of IPv6 a /64) may ask for before their answers are delayed. A house with a revoked key, or
 * an office that reads the documentation, asks for less.
 */
const AT_ONCE = { burst: 100, perSecond: 10 } as const;

/** The delay, in milliseconds. */
const SLOW_MS = 1_000;

/** How many answers may wait at most, as each holds a little memory. Beyond that they go at once, which costs least. */
const WAITING_MOST = 10_000;

/** How many of one address wait for a page; further ones get none. */
const PAGES_MOST = 30;

/** How many addresses are remembered. */
const ADDRESSES = 10_000;

const badCalls = new Counter({
  name: 'tocsin_bad_credentials_total',
  help: 'Calls with a missing or bad key or token, by door (http, rpc), and whether their address was answered at once or slowly.',
  labelNames: ['door', 'answered'],
});

/** What was counted of one address. */
interface Known extends Allowance {
  pages: number;
}

/**
 * Slows down who shows nothing that this deployment knows: guesses keys, links and signatures, or asks for pages that anybody may
 * read (DECISIONS.md "401", "Strangers"). Both are counted together, by address. Calls with a good key never come here.
 */
export interface Strangers {
  /** Records a missing or bad credential from this address. Resolves when the answer, which is always the same, may be sent. */
  turnedAway(address: string): Promise<void>;
  /** Records that somebody asks for what is for all. Resolves when it may be given, or when it is told that there is `too_much`. */
  enter(address: string): Promise<'entered' | 'too_much'>;
}

/** Creates the limiter of one door. `now` returns milliseconds of a monotonic clock; `wait` takes milliseconds. */
export function createStrangers(
  door: 'http' | 'rpc',
  {
    now = () => performance.now(),
    wait = ms => sleep(ms, undefined, { ref: false }),
  }: { now?(): number; wait?(ms: number): Promise<unknown> } = {},
): Strangers {
  const networks = createLru<string, Known>(ADDRESSES);
  let waiting = 0;

  function knownOf(address: string): Known {
    const network = networkOf(address);
    const known = networks.get(network);
    if (known !== undefined) return known;
    const made = { ...full(AT_ONCE, now()), pages: 0 };
    networks.set(network, made);
    return made;
  }

  const isWithin = (known: Known) => spend(known, now(), AT_ONCE) === 'within' || waiting >= WAITING_MOST;

  async function slowly(): Promise<void> {
    waiting++;
    await wait(SLOW_MS);
    waiting--;
  }

  return {
    async turnedAway(address) {
      if (isWithin(knownOf(address))) return badCalls.inc({ door, answered: 'at_once' });
      badCalls.inc({ door, answered: 'slowly' });
      await slowly();
    },
    async enter(address) {
      const known = knownOf(address);
      if (isWithin(known)) return 'entered';
      if (known.pages >= PAGES_MOST) {
        await slowly();
        return 'too_much';
      }
      known.pages++;
      await slowly();
      known.pages--;
      return 'entered';
    },
  };
}

/** Delays nobody, for RATE_LIMITS=off. */
export const NO_STRANGERS: Strangers = { turnedAway: async () => {}, enter: async () => 'entered' };
