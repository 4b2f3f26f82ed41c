import { dayOf } from './duty.ts';
import type { ModeId } from './mode.ts';
import { instantAt, wallAt } from './zone-clock.ts';

/*
 * What the last days of a source were like (DECISIONS.md "Days of a source"). Pure: what was read goes in, a day's figures come out.
 * Times are milliseconds since 1970.
 */

/** How many days are looked back on, today included. */
export const DAYS = 30;

const DAY_MS = 86_400_000;

/** A day of a zone. `to`: when the next one begins, or now. */
export interface DaySpan {
  day: string;
  from: number;
  to: number;
}

/** Returns the last days of a zone (IANA), oldest first; the last is today, up to `now`. */
export function lastDays(timeZone: string, now: number): DaySpan[] {
  const today = dayOf(wallAt(timeZone, now));
  return Array.from({ length: DAYS }, (_, nth) => {
    const number = today - DAYS + 1 + nth;
    const from = instantAt(timeZone, number * DAY_MS);
    const next = instantAt(timeZone, (number + 1) * DAY_MS);
    return { day: new Date(number * DAY_MS).toISOString().slice(0, 10), from, to: Math.min(next, now) };
  });
}

/** In which mode a source is, `disarmed`, or empty: that is not known. */
export type Stood = ModeId | 'disarmed' | '';

/** What was read of one day. */
export interface DayRead {
  /** When it was armed or disarmed, in order. */
  changes: readonly { at: number; to: Stood }[];
  /** The last call that was looked at where there were more; null: all were. */
  lookedTo: number | null;
}

/** How much of a day is known (days.proto). */
export type Known = 'whole' | 'part' | 'before' | 'removed';

/** When it was made, null: that is not known; and since when calls and incidents are kept. */
export interface KnownSince {
  createdAt: number | null;
  keptFrom: number;
}

/** Returns how much of a day is known, and since when. */
export function knownOf({ from, to }: DaySpan, { createdAt, keptFrom }: KnownSince): { known: Known; since: number } {
  const since = Math.max(from, createdAt ?? from, keptFrom);
  if (createdAt !== null && createdAt >= to) return { known: 'before', since: to };
  if (keptFrom >= to) return { known: 'removed', since: to };
  return { known: since > from ? 'part' : 'whole', since };
}

/**
 * Returns for each day how long it stood how, in the order in which each began. `before`: how it stood before the first of them,
 * `now`: how it stands.
 */
export function stoodOn(
  days: readonly (DaySpan & DayRead & { since: number })[],
  { before, now }: { before: Stood; now: Stood },
): { mode: Stood; ms: number }[][] {
  const nothingChanged = days.every(({ changes, lookedTo }) => changes.length === 0 && lookedTo === null);
  let stands = nothingChanged ? now : before;
  return days.map(({ since, to, changes, lookedTo }) => {
    const lasted = new Map<Stood, number>();
    let at = since;
    const until = (end: number) => {
      if (end > at) lasted.set(stands, (lasted.get(stands) ?? 0) + end - at);
      at = Math.max(at, end);
    };
    for (const change of changes) {
      until(change.at);
      stands = change.to;
    }
    if (lookedTo !== null) {
      until(lookedTo);
      // It may have been armed or disarmed since.
      stands = '';
    }
    until(to);
    return [...lasted].map(([mode, ms]) => ({ mode, ms }));
  });
}

/** Returns how much of a day was in any of some spans of time, in milliseconds. */
export function coveredOn({ from, to }: DaySpan, spans: readonly { from: number; to: number }[]): number {
  let covered = 0;
  let reached = from;
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const [begins, ends] = [Math.max(span.from, reached), Math.min(span.to, to)];
    if (ends <= begins) continue;
    covered += ends - begins;
    reached = ends;
  }
  return covered;
}
