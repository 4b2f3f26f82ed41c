const FIRST_MS = 1_000;
const MOST_MS = 60_000;

/**
 * Returns how long to wait before a try, in milliseconds, after so many failed tries in a row (1 or more): doubling
 * from one second to one minute. Half of it is random, so that clients that lost the same server do not come back
 * together. `random` is from 0 up to 1.
 */
export function backoff(failures: number, random: number): number {
  const most = Math.min(MOST_MS, FIRST_MS * 2 ** (failures - 1));
  return Math.round(most / 2 + (most / 2) * random);
}
