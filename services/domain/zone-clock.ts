import { createLru } from '../process/lru.ts';

/*
 * Clocks on a wall, by time zone: which time they show at an instant, and when they show a time. Instants are milliseconds
 * since 1970; wall times are the same count for what the clock shows, as if that were UTC.
 */

/** A change of the clocks: from `at` on they are `after` ahead of UTC, until then `before`. All in milliseconds. */
interface Shift {
  at: number;
  before: number;
  after: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** How many zones and years are kept: looking through a year of a zone takes half a millisecond. */
const MOST_KEPT = 500;

const years = createLru<string, { startsWith: number; shifts: readonly Shift[] }>(MOST_KEPT);
const formats = createLru<string, Intl.DateTimeFormat>(MOST_KEPT);

/**
 * Returns what the clocks of a zone (IANA) show at an instant. They never go back: where an hour comes twice, its second
 * time shows the end of it, so that what begins at half past two begins once (DECISIONS.md "On duty").
 */
export function wallAt(timeZone: string, at: number): number {
  const year = yearOf(timeZone, at);
  let ahead = year.startsWith;
  let shown = Number.NEGATIVE_INFINITY;
  for (const shift of year.shifts) {
    if (shift.at > at) break;
    ahead = shift.after;
    if (shift.after < shift.before) shown = shift.at + shift.before - 1;
  }
  return Math.max(at + ahead, shown);
}

/** Returns the first instant at which the clocks of a zone show a time, or have passed it where they skip it. */
export function instantAt(timeZone: string, wall: number): number {
  const before = aheadAt(timeZone, wall - DAY_MS);
  const after = aheadAt(timeZone, wall + DAY_MS);
  const early = wall - before;
  if (before === after || aheadAt(timeZone, early) === before) return early;
  const late = wall - after;
  if (aheadAt(timeZone, late) === after) return late;
  return shiftBetween(timeZone, wall - DAY_MS, wall + DAY_MS);
}

/** By how much the clocks are ahead of UTC, in milliseconds. */
function aheadAt(timeZone: string, at: number): number {
  const year = yearOf(timeZone, at);
  let ahead = year.startsWith;
  for (const shift of year.shifts) {
    if (shift.at > at) break;
    ahead = shift.after;
  }
  return ahead;
}

/** Looks through a year of a zone, and keeps what it finds. */
function yearOf(timeZone: string, at: number) {
  const year = new Date(at).getUTCFullYear();
  const name = `${year} ${timeZone}`;
  const kept = years.get(name);
  if (kept !== undefined) return kept;
  // The days around it too, so that an hour that comes twice at midnight of New Year's Day is seen from both sides.
  const from = Date.UTC(year, 0, 1) - DAY_MS;
  const to = Date.UTC(year + 1, 0, 1) + DAY_MS;
  const shifts: Shift[] = [];
  const startsWith = readAhead(timeZone, from);
  let ahead = startsWith;
  for (let day = from; day < to; day += DAY_MS) {
    const next = readAhead(timeZone, day + DAY_MS);
    if (next === ahead) continue;
    shifts.push({ at: firstWith(timeZone, next, day, day + DAY_MS), before: ahead, after: next });
    ahead = next;
  }
  const made = { startsWith, shifts };
  years.set(name, made);
  return made;
}

/** Returns the first minute at which clocks are that much ahead, which they are not at `not`, but at `already`. */
function firstWith(timeZone: string, ahead: number, not: number, already: number): number {
  let [low, high] = [not, already];
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
    if (readAhead(timeZone, middle) === ahead) high = middle;
    else low = middle;
  }
  return high;
}

function shiftBetween(timeZone: string, from: number, to: number): number {
  let [low, high] = [from, to];
  const ahead = aheadAt(timeZone, to);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (aheadAt(timeZone, middle) === ahead) high = middle;
    else low = middle;
  }
  return high;
}

/** Asks Intl: slow. Rounded to minutes, because clocks were set by the sun before zones were. */
function readAhead(timeZone: string, at: number): number {
  const parts = formatOf(timeZone).formatToParts(at);
  const part = (type: string) => Number(parts.find(one => one.type === type)!.value);
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  return Math.round((shown - at) / MINUTE_MS) * MINUTE_MS;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const kept = formats.get(timeZone);
  if (kept !== undefined) return kept;
  const made = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  formats.set(timeZone, made);
  return made;
}
