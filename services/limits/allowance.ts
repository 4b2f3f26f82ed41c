/** What a caller may still do at once (a token bucket). Each measured caller holds its own: there is one for every socket. */
export interface Allowance {
  left: number;
  /** When it was last updated, in milliseconds. */
  countedAt: number;
}

/** A burst, and the rate at which it grows back. */
export interface Rate {
  burst: number;
  perSecond: number;
}

/** Returns an allowance of which nothing is used yet. */
export function full({ burst }: Rate, now: number): Allowance {
  return { left: burst, countedAt: now };
}

/** Takes one, or `cost`, from an allowance of `burst` that grows back at `perSecond`. */
export function spend(allowance: Allowance, now: number, { burst, perSecond }: Rate, cost = 1): 'within' | 'over' {
  const grown = ((now - allowance.countedAt) * perSecond) / 1_000;
  allowance.left = Math.min(burst, allowance.left + grown);
  allowance.countedAt = now;
  if (allowance.left < cost) return 'over';
  allowance.left -= cost;
  return 'within';
}
