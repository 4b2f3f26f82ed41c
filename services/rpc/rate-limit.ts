/** Whether there is room for one more; else after how many seconds there will be. */
export type Pass = { kind: 'taken' } | { kind: 'too_many'; retryAfterS: number };

/** Bounds how often something is done for one account, number or whatever else has a name. */
export interface RateLimit {
  /** Takes a place of `of`. `now` in milliseconds, by one and the same clock at each call. */
  take(of: string, now: number): Pass;
}

/** How many names are remembered; the one that asked longest ago goes first. */
const NAMES = 10_000;

/** At most `most` times within `withinMs` milliseconds. Each process counts for itself. */
export function createRateLimit({ most, withinMs }: { most: number; withinMs: number }): RateLimit {
  const taken = new Map<string, number[]>();
  return {
    take(of, now) {
      const recent = (taken.get(of) ?? []).filter(at => at > now - withinMs);
      const [oldest] = recent;
      const full = oldest !== undefined && recent.length >= most;
      taken.delete(of);
      taken.set(of, full ? recent : [...recent, now]);
      for (const name of taken.keys()) {
        if (taken.size <= NAMES) break;
        taken.delete(name);
      }
      return full ? { kind: 'too_many', retryAfterS: Math.ceil((oldest + withinMs - now) / 1000) } : { kind: 'taken' };
    },
  };
}
