import type { ChannelKind } from '../process/vocabulary.ts';
import { type Duty, wallText } from './duty.ts';
import { type OnDuty, onDuty } from './on-duty.ts';
import { wallAt } from './zone-clock.ts';

/** A span of time in which the same people are on duty. Milliseconds since 1970. */
export interface Shift extends OnDuty {
  from: number;
}

const MINUTE_MS = 60_000;

/** How many years back the beginning of a shift is looked for: beyond the longest turn. */
const LOOKS_BACK_YEARS = 2;

/** Returns the shifts from one instant to another, at most `most`. The first begins at `from`. */
export function shiftsOf(duty: Duty, from: number, to: number, most: number): Shift[] {
  const shifts: Shift[] = [];
  for (let at = from; at < to && shifts.length < most; ) {
    const now = onDuty(duty, at);
    shifts.push({ from: at, ...now });
    at = now.until ?? to;
  }
  return shifts;
}

/**
 * Returns the shift at an instant (milliseconds since 1970), from its beginning; of one that goes back further than two
 * years, from the first of January (UTC) of the year before the last, so that all who ask within a year hear the same. Within a
 * shift its end is the same at every instant, and before it an earlier one: so its beginning is searched for, and not walked to.
 */
export function shiftAt(duty: Duty, at: number): Shift {
  const now = onDuty(duty, at);
  let [before, within] = [Date.UTC(new Date(at).getUTCFullYear() - LOOKS_BACK_YEARS, 0, 1), at];
  if (onDuty(duty, before).until === now.until) return { from: before, ...now };
  while (within - before > 1) {
    const middle = Math.floor((before + within) / 2);
    if (onDuty(duty, middle).until === now.until) within = middle;
    else before = middle;
  }
  return { from: within, ...now };
}

/** Returns the shifts from one instant to another, at most `most`, the first from its beginning. Milliseconds since 1970. */
export function shiftsAround(duty: Duty, from: number, to: number, most: number): Shift[] {
  const began = shiftAt(duty, from).from;
  return shiftsOf(duty, from, to, most).map((shift, at) => (at === 0 ? { ...shift, from: began } : shift));
}

/** Returns a span of time as an exception says it, in the zone of the duty and to the minute. */
export function spanIn(timeZone: string, from: number, until: number): { from: string; to: string } {
  const text = (at: number) => wallText(wallAt(timeZone, Math.floor(at / MINUTE_MS) * MINUTE_MS));
  return { from: text(from), to: text(until) };
}

/** How many shifts of a span are looked at for the channels of those who cover in it. */
const COVERED_MOST = 500;

/**
 * Returns over what those are told who cover from one instant to another: over the channels of the hours that they stand in for;
 * empty: over all that the policy names, as where any of those hours narrows none.
 */
export function channelsOfSpan(duty: Duty, from: number, to: number): ChannelKind[] {
  const shifts = shiftsOf(duty, from, to, COVERED_MOST);
  if (shifts.some(({ channels }) => channels === null)) return [];
  return [...new Set(shifts.flatMap(({ channels }) => channels ?? []))];
}
