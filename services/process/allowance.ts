/** How much somebody may still do at once. Whoever is measured holds this itself: there is one for every socket. */
export interface Allowance {
  left: number;
  /** When it was counted last, in milliseconds. */
  countedAt: number;
}

/** So much at once, and so much a second from then on. */
export interface Rate {
  burst: number;
  perSecond: number;
}

/** Nothing of it is used up yet. */
export function full({ burst }: Rate, now: number): Allowance {
  return { left: burst, countedAt: now };
}

/** Takes one of `burst` that grow back at `perSecond`. */
export function spend(allowance: Allowance, now: number, { burst, perSecond }: Rate): 'within' | 'over' {
  const grown = ((now - allowance.countedAt) * perSecond) / 1_000;
  allowance.left = Math.min(burst, allowance.left + grown);
  allowance.countedAt = now;
  if (allowance.left < 1) return 'over';
  allowance.left -= 1;
  return 'within';
}
