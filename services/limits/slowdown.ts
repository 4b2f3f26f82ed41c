import { setTimeout as sleep } from 'node:timers/promises';
import { createLru } from '../process/lru.ts';
import { type Allowance, full, type Rate, spend } from './allowance.ts';

/** The delay, in milliseconds. */
const SLOW_MS = 1_000;

/** How many answers may wait at most, as each holds a little memory. Beyond that they go at once, which costs least. */
const WAITING_MOST = 10_000;

/** How many callers are remembered. */
const REMEMBERED = 10_000;

/** What drives a slowdown. Tests give their own. */
export interface Pace {
  /** Milliseconds of a monotonic clock. */
  now?(): number;
  /** Takes milliseconds. */
  wait?(ms: number): Promise<unknown>;
}

/** Delays answers to callers that ask on and on for what they do not get, so that one connection asks once a second. */
export interface Slowdown {
  /** Counts an answer to this caller. `slowly`: it has to wait. */
  count(caller: string): 'at_once' | 'slowly';
  /** Resolves when an answer that has to wait may go. */
  wait(): Promise<void>;
  /** Both: counts an answer to this caller, and resolves when it may go. */
  slow(caller: string): Promise<void>;
}

export function createSlowdown(
  rate: Rate,
  { now = () => performance.now(), wait = ms => sleep(ms, undefined, { ref: false }) }: Pace = {},
): Slowdown {
  const allowances = createLru<string, Allowance>(REMEMBERED);
  let waiting = 0;

  function allowanceOf(caller: string, at: number): Allowance {
    const known = allowances.get(caller);
    if (known !== undefined) return known;
    const made = full(rate, at);
    allowances.set(caller, made);
    return made;
  }

  function count(caller: string): 'at_once' | 'slowly' {
    const at = now();
    const within = spend(allowanceOf(caller, at), at, rate) === 'within';
    return within || waiting >= WAITING_MOST ? 'at_once' : 'slowly';
  }

  async function waitSlowly(): Promise<void> {
    waiting++;
    await wait(SLOW_MS);
    waiting--;
  }

  return {
    count,
    wait: waitSlowly,
    async slow(caller) {
      if (count(caller) === 'slowly') await waitSlowly();
    },
  };
}

/** Delays nobody, for RATE_LIMITS=off. */
export const NO_SLOWDOWN: Slowdown = { count: () => 'at_once', wait: async () => {}, slow: async () => {} };
