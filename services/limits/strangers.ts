import { Counter } from 'prom-client';
import { networkOf } from '../process/network.ts';
import { createSlowdown, type Pace } from './slowdown.ts';
import { PAGES_MOST, REFUSED } from './table.ts';
import { createUnderWay } from './under-way.ts';

const badCalls = new Counter({
  name: 'tocsin_bad_credentials_total',
  help: 'Calls with a missing or bad key or token, by door (http, rpc), and whether their address was answered at once or slowly.',
  labelNames: ['door', 'answered'],
});

/**
 * Slows down who shows nothing that this deployment knows: guesses keys, links and signatures, or asks for pages that anybody may
 * read (DECISIONS.md "401", "Strangers"). Both are counted together, by address (of IPv6 by /64). A house with a revoked key, or an
 * office that reads the documentation, asks for less than is slowed. Calls with a good key never come here.
 */
export interface Strangers {
  /** Records a missing or bad credential from this address. Resolves when the answer, which is always the same, may be sent. */
  turnedAway(address: string): Promise<void>;
  /** Records that somebody asks for what is for all. Resolves when it may be given, or when it is told that there is `too_much`. */
  enter(address: string): Promise<'entered' | 'too_much'>;
}

/** Creates the limiter of one door. */
export function createStrangers(door: 'http' | 'rpc', pace: Pace = {}): Strangers {
  const slowdown = createSlowdown(REFUSED, pace);
  const pages = createUnderWay();

  return {
    async turnedAway(address) {
      const answered = slowdown.count(networkOf(address));
      badCalls.inc({ door, answered });
      if (answered === 'slowly') await slowdown.wait();
    },
    async enter(address) {
      const network = networkOf(address);
      if (slowdown.count(network) === 'at_once') return 'entered';
      using place = pages.enter({ [network]: PAGES_MOST });
      await slowdown.wait();
      return place === null ? 'too_much' : 'entered';
    },
  };
}

/** Delays nobody, for RATE_LIMITS=off. */
export const NO_STRANGERS: Strangers = { turnedAway: async () => {}, enter: async () => 'entered' };
