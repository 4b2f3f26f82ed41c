import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { backoffMs } from '../process/backoff.ts';

/** How long a loop usually waits at most before it looks again: the truth is in the database, a nudge only makes it faster. */
export const POLL_MS = 250;

/** The shortest wait: what is due and still not to be had is in another worker's hands. */
const MIN_MS = 2;

/** How long a loop waits after a fault, in milliseconds. */
const FAULT_BACKOFF = { firstMs: 100, mostMs: 2_000 };

/**
 * When to look again: at once or after a rest, because there may be more, or after this many milliseconds. A rest is for
 * looks that found much: what comes meanwhile is done together then, and costs less.
 */
export type LookAgain = 'now' | 'after_rest' | { inMs: number };

export interface Loop {
  /** There may be work: look now. Never waits; any number of nudges while busy make one more look. */
  nudge(): void;
  /** Resolves when a look that began after this call found nothing left to do. */
  drain(): Promise<void>;
  /** Ends after the look that is under way. Twice is fine. */
  close(): Promise<void>;
}

/**
 * Looks for work, again and again: nudged for speed, polled for truth, and exactly when the next timer is due. A fault is
 * logged and looked past: a loop never ends by itself. A rest lasts as long as the look before it, `maxRestMs` at most.
 * `pollMs`: how long it waits at most.
 */
export function startLoop(
  name: string,
  look: () => Promise<LookAgain>,
  log: Logger,
  maxRestMs = 0,
  pollMs = POLL_MS,
): Loop {
  let state: 'running' | 'closing' = 'running';
  let nudged = true;
  let wake: () => void = () => {};
  let drains: (() => void)[] = [];
  let failures = 0;

  const ended = run();

  async function run(): Promise<void> {
    while (state === 'running') {
      nudged = false;
      const asked = [...drains];
      const began = performance.now();
      const again = await lookSafely();
      if (again === 'after_rest') await setTimeout(Math.min(performance.now() - began, maxRestMs));
      if (again === 'now' || again === 'after_rest') continue;
      drains = drains.filter(resolve => !asked.includes(resolve));
      for (const resolve of asked) resolve();
      await sleep(Math.max(MIN_MS, Math.min(again.inMs, pollMs)));
    }
    for (const resolve of drains) resolve();
  }

  async function lookSafely(): Promise<LookAgain> {
    try {
      const again = await look();
      failures = 0;
      return again;
    } catch (error) {
      log.error({ err: error, loop: name }, 'the engine could not work; it tries again');
      await sleep(backoffMs(++failures, FAULT_BACKOFF));
      return { inMs: MIN_MS };
    }
  }

  function sleep(ms: number): Promise<void> {
    if (nudged || state === 'closing') return Promise.resolve();
    return new Promise(resolve => {
      const timer = globalThis.setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function nudge(): void {
    nudged = true;
    wake();
  }

  return {
    nudge,
    drain() {
      return new Promise(resolve => {
        drains.push(resolve);
        nudge();
      });
    },
    close() {
      state = 'closing';
      wake();
      return ended;
    },
  };
}
