import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { backoffMs } from '../process/backoff.ts';

/**
 * The longest a loop usually waits before it looks again: the truth is in the database, a nudge only makes it faster.
 */
export const POLL_MS = 250;

/** The shortest wait, for when what is due is in another worker's hands. */
const MIN_MS = 2;

/** How long a loop waits after a fault, in milliseconds. */
const FAULT_BACKOFF = { firstMs: 100, mostMs: 2_000 };

/**
 * When to look again: now, after a rest (because there may be more), or in so many milliseconds. A rest follows a look
 * that found much: what arrives meanwhile is then done together, at less cost. It lasts as long as that look, and so many
 * milliseconds at most.
 */
export type LookAgain = 'now' | { restMs: number } | { inMs: number };

export interface Loop {
  /** There may be work: look now. Never waits; any number of nudges while busy cause one more look. */
  nudge(): void;
  /** Resolves when a look that started after this call found nothing left to do. */
  drain(): Promise<void>;
  /** Ends after the look that is under way. May be called twice. */
  close(): Promise<void>;
}

/**
 * Looks for work repeatedly: on a nudge, exactly when the next timer is due, and at least every `pollMs` milliseconds.
 * A fault is logged and followed by another look: a loop never ends by itself.
 */
export function startLoop(name: string, look: () => Promise<LookAgain>, log: Logger, pollMs = POLL_MS): Loop {
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
      if (again === 'now') continue;
      if ('restMs' in again) {
        await setTimeout(Math.min(performance.now() - began, again.restMs));
        continue;
      }
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
