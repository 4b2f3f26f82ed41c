import type { Duty, DutyException, DutyHours, Turns } from '../../services/domain/duty.ts';
import { onDuty } from '../../services/domain/on-duty.ts';

export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;

/** A duty of `owner`, in Vienna, with what is said otherwise. */
export function duty(said: Partial<Duty> = {}): Duty {
  return { timeZone: 'Europe/Vienna', hours: [], otherwise: ['owner'], except: [], ...said };
}

export function hours(said: Partial<DutyHours>): DutyHours {
  return { days: '', from: '00:00', to: '24:00', who: ['anna'], channels: [], ...said };
}

export function turns(...people: string[]): Turns {
  return { turns: people, change: 'weekly', every: 1, at: 'sat 08:00', since: '2026-11-28' };
}

export function except(said: Partial<DutyException>): DutyException {
  return { from: '2026-12-24', to: '2026-12-24', who: ['mia'], note: '', channels: [], ...said };
}

/** Who is on duty at an instant, given as ISO text with its offset. */
export function whoAt(of: Duty, at: string): string {
  return onDuty(of, Date.parse(at)).contacts.join(', ');
}

/** Until when the answer holds, as ISO text. */
export function untilAt(of: Duty, at: string): string | null {
  const { until } = onDuty(of, Date.parse(at));
  return until === null ? null : new Date(until).toISOString();
}

/** A generator of numbers by a seed (mulberry32): `upTo(n)` gives 0 to n - 1. */
export function dice(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const upTo = (most: number) => Math.floor(next() * most);
  return { upTo, oneOf: <T>(of: readonly T[]): T => of[upTo(of.length)]! };
}
