import { createLru } from '../process/lru.ts';

/** Whether there is room for one more, or after how many seconds there will be. */
export type Pass = { kind: 'taken' } | { kind: 'too_many'; retryAfterS: number };

/** Limits how often something is done for one name, such as an account or a number. */
export interface RateLimit {
  /** Takes one of `of`. `now` is in milliseconds, always of the same clock. */
  take(of: string, now: number): Pass;
}

/** How many names are remembered. The least recently used is forgotten first. */
const NAMES = 10_000;

/** Creates a limit of `most` times within `withinMs` milliseconds. Each process counts for itself. */
export function createRateLimit({ most, withinMs }: { most: number; withinMs: number }): RateLimit {
  const taken = createLru<string, number[]>(NAMES);
  return {
    take(of, now) {
      const recent = (taken.get(of) ?? []).filter(at => at > now - withinMs);
      const [oldest] = recent;
      const full = oldest !== undefined && recent.length >= most;
      taken.set(of, full ? recent : [...recent, now]);
      return full ? { kind: 'too_many', retryAfterS: Math.ceil((oldest + withinMs - now) / 1000) } : { kind: 'taken' };
    },
  };
}
