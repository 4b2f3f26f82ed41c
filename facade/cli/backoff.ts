import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * How long to wait before trying again after so many failures in a row (from 0), doubled each time up to 30 s and jittered
 * (`random` from 0 to 1), so that many clients do not come back at once.
 */
export function backoffMs(failures: number, random: number): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** failures);
  return ceiling / 2 + (ceiling / 2) * random;
}

/** Waits; rejects as soon as `signal` is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal });
}
