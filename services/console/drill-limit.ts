/** At most so many drills of an account within so long: a drill writes to real people. */
const MOST = 10;
const WITHIN_MS = 60_000;

/** What became of asking for one more. */
export type DrillPass = { kind: 'taken' } | { kind: 'too_many'; retryAfterS: number };

export interface DrillLimit {
  /** `now` in milliseconds since 1970, as the database has it. */
  take(accountId: string, now: number): DrillPass;
}

/** Counts the drills of each account within the last minute, in this process. Accounts that rest are forgotten. */
export function createDrillLimit(): DrillLimit {
  const drills = new Map<string, number[]>();
  return {
    take(accountId, now) {
      for (const [account, times] of drills) {
        const recent = times.filter(at => at > now - WITHIN_MS);
        if (recent.length === 0) drills.delete(account);
        else drills.set(account, recent);
      }
      const recent = drills.get(accountId) ?? [];
      if (recent.length >= MOST) {
        return { kind: 'too_many', retryAfterS: Math.ceil((recent[0]! + WITHIN_MS - now) / 1000) };
      }
      drills.set(accountId, [...recent, now]);
      return { kind: 'taken' };
    },
  };
}
