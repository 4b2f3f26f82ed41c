import type { Folds } from '../../store/statements/apply.ts';

/** How many folds may wait to be written to where readers see them. */
const MOST = 300;

/** How long the first that waits may wait, in milliseconds. */
const WAITS_MS = { least: 1_000, most: 5_000 };

/**
 * When a fold is to be written, by the clock of this process: after a twentieth of how long that which it counts has been going
 * on (`age`, milliseconds). Seldom for what goes on for long, because old versions of a row slow down whoever looks for it.
 */
export function writeAt(waiting: Folds[string] | undefined, age: number): number {
  return waiting?.[2] ?? Date.now() + Math.min(WAITS_MS.most, Math.max(WAITS_MS.least, age / 20));
}

/** Those that are to be written now. `hurry`: all of them. */
export function dueFolds(folds: Folds, hurry: 'in_time' | 'now'): Folds {
  const waiting = Object.entries(folds);
  if (hurry === 'now' || waiting.length > MOST) return { ...folds };
  return Object.fromEntries(waiting.filter(([, [, , at]]) => dueInMs(at) <= 0));
}

/** In how many milliseconds the next one is due; infinite: none waits. */
export function nextFoldMs(folds: Folds): number {
  return Math.min(...Object.values(folds).map(([, , at]) => dueInMs(at)));
}

/** Another process may have set it, by another clock. */
function dueInMs(at: number): number {
  const inMs = at - Date.now();
  return inMs > WAITS_MS.most ? 0 : inMs;
}
