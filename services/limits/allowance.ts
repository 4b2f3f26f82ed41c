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
export function spend(allowance: Allowance, now: number, rate: Rate, cost = 1): 'within' | 'over' {
  growBack(allowance, now, rate);
  if (allowance.left < cost) return 'over';
  allowance.left -= cost;
  return 'within';
}

/** The same, but a piece that is larger than what is left is taken whole, and what is missing grows back first. */
export function draw(allowance: Allowance, now: number, rate: Rate, cost: number): 'within' | 'over' {
  growBack(allowance, now, rate);
  if (allowance.left <= 0) return 'over';
  allowance.left -= cost;
  return 'within';
}

function growBack(allowance: Allowance, now: number, { burst, perSecond }: Rate): void {
  const grown = ((now - allowance.countedAt) * perSecond) / 1_000;
  allowance.left = Math.min(burst, allowance.left + grown);
  allowance.countedAt = now;
}
