import type { ChannelKind } from '../process/vocabulary.ts';

/*
 * Who is on duty (DECISIONS.md "On duty"): what owners write, and how its small words are read. `on-duty.ts` answers.
 */

/** The days of the week, in the order in which weeks are counted here. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** How often people take turns. */
export const CHANGES = ['daily', 'weekly'] as const;

/** A duty as its owner wrote it. Contacts are named by their ids. */
export interface Duty {
  /** IANA; in it all its times are read. */
  timeZone: string;
  /** The first that matches wins. */
  hours: readonly DutyHours[];
  /** Who is on duty when none of the hours match: there is no gap to fall into. */
  otherwise: Who;
  /** Holidays, covers and swaps: the first that matches wins, before all hours. */
  except: readonly DutyException[];
}

/** Hours of some days of every week. */
export interface DutyHours {
  /** `mon-fri`, `sat,sun`, `fri-mon`; empty for every day. */
  days: string;
  /** `HH:MM`. From the same time to the same time: a whole day. */
  from: string;
  /** `HH:MM`, up to `24:00`; not later than `from`: of the next day. */
  to: string;
  who: Who;
  /** Over these alone people are told; empty: over all that the policy names. */
  channels: readonly ChannelKind[];
}

/** All of these together, or one after the other. */
export type Who = readonly string[] | Turns;

/** People who take turns. */
export interface Turns {
  /** In this order, from the first again after the last. */
  turns: readonly string[];
  change: (typeof CHANGES)[number];
  /** How many days on duty, or weeks, a turn has. */
  every: number;
  /** When it changes: `08:00` daily, `sat 08:00` weekly. */
  at: string;
  /** `YYYY-MM-DD`: the turn that begins then, or has begun last, is that of the first. */
  since: string;
}

/** A span of time in which others are on duty. */
export interface DutyException {
  /** `YYYY-MM-DD`, from its first moment, or `YYYY-MM-DDTHH:MM`. */
  from: string;
  /** `YYYY-MM-DD`, to the end of that day, or `YYYY-MM-DDTHH:MM`. */
  to: string;
  who: readonly string[];
  note: string;
  channels: readonly ChannelKind[];
  /** Whether it was made as a cover or a swap, which a file that does not name it leaves as it is. Absent: no. */
  cover?: boolean | undefined;
}

/** The most days on duty, or weeks, that a turn has. */
export const EVERY_MOST = 52;

export const DAY_MINUTES = 1_440;
export const WEEK_MINUTES = 7 * DAY_MINUTES;
const DAY_MS = 86_400_000;

/** Returns those who take turns; null where all are on duty together. */
export function turnsOf(who: Who): Turns | null {
  return 'turns' in who ? who : null;
}

/** Returns everybody whom it names, each once. */
export function namedOn({ hours, otherwise, except }: Pick<Duty, 'hours' | 'otherwise' | 'except'>): string[] {
  const all = [otherwise, ...hours.map(({ who }) => who), ...except.map(({ who }) => who)];
  return [...new Set(all.flatMap(who => turnsOf(who)?.turns ?? (who as readonly string[])))];
}

/** Reads days (`mon-fri,sun`) as numbers from 0 for Monday; null if they are none. Empty: all. */
export function daysFrom(text: string): number[] | null {
  if (text === '') return WEEKDAYS.map((_, day) => day);
  const days = text.split(',').map(part => spanFrom(part.trim()));
  return days.some(span => span === null) ? null : [...new Set(days.flatMap(span => span!))].sort((a, b) => a - b);
}

function spanFrom(text: string): number[] | null {
  const [first, last, ...more] = text.split('-').map(word => WEEKDAYS.indexOf(word.trim() as never));
  if (first === undefined || first < 0 || (last ?? first) < 0 || more.length > 0) return null;
  const length = ((((last ?? first) - first) % 7) + 7) % 7;
  return Array.from({ length: length + 1 }, (_, at) => (first + at) % 7);
}

/** Reads `HH:MM` as minutes from midnight, up to `24:00`; null if it is none. */
export function clockFrom(text: string): number | null {
  const [, hour, minute] = /^(\d\d):([0-5]\d)$/.exec(text) ?? [];
  const minutes = Number(hour) * 60 + Number(minute);
  return minutes <= DAY_MINUTES ? minutes : null;
}

/** Reads when turns change: `08:00` as minutes of the day, `sat 08:00` as minutes of the week; null if it is not that. */
export function changeFrom({ change, at }: Pick<Turns, 'change' | 'at'>): number | null {
  const [, day, clock] = /^(?:([a-z]{3}) )?(\d\d:\d\d)$/.exec(at) ?? [];
  const minutes = clockFrom(clock ?? '');
  if (minutes === null || minutes === DAY_MINUTES || (day !== undefined) !== (change === 'weekly')) return null;
  if (day === undefined) return minutes;
  const weekday = WEEKDAYS.indexOf(day as never);
  return weekday < 0 ? null : weekday * DAY_MINUTES + minutes;
}

/** Reads a date, or a date with a time, as a wall time (zone-clock.ts); null if it is none. `end`: a date means its end. */
export function wallFrom(text: string, of: 'start' | 'end'): number | null {
  const [, date, clock] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?$/.exec(text) ?? [];
  const day = dateFrom(date ?? '');
  const minutes = clock === undefined ? (of === 'end' ? DAY_MINUTES : 0) : clockFrom(clock);
  return day === null || minutes === null ? null : day + minutes * 60_000;
}

/** Reads `YYYY-MM-DD` as the wall time at which it begins; null if there is no such day. Of the years 2000 to 2199. */
export function dateFrom(text: string): number | null {
  if (!/^2[01]\d\d-\d\d-\d\d$/.test(text)) return null;
  const at = Date.parse(`${text}T00:00Z`);
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text ? null : at;
}

/** Returns the number of a wall time's day, from 0 for 1970-01-01. */
export function dayOf(wall: number): number {
  return Math.floor(wall / DAY_MS);
}

/** Returns how many milliseconds of its week, from Monday on, a wall time is in. */
export function inWeek(wall: number): number {
  // 1970-01-01 was a Thursday.
  const since = wall + 3 * DAY_MS;
  return since - Math.floor(since / (7 * DAY_MS)) * 7 * DAY_MS;
}

/** Returns a wall time to the minute as an exception says it: `YYYY-MM-DDTHH:MM`. */
export function wallText(wall: number): string {
  return new Date(wall).toISOString().slice(0, 16);
}
