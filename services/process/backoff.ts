/** How long to wait between tries, in milliseconds: `firstMs` after the first failure, twice as long after each further one. */
export interface Backoff {
  firstMs: number;
  mostMs: number;
}

/**
 * Returns how long to wait before the next try, in milliseconds, after `failures` failures in a row (1 or more). The client
 * for JavaScript has its own (facade/sdk/backoff.ts), because it is a package of its own.
 */
export function backoffMs(failures: number, { firstMs, mostMs }: Backoff): number {
  return Math.min(mostMs, firstMs * 2 ** (failures - 1));
}

/** Returns between half of `ms` and all of it, so that those who lost the same server do not come back at once. `random`: 0 to 1. */
export function jittered(ms: number, random = Math.random()): number {
  return ms / 2 + (ms / 2) * random;
}
