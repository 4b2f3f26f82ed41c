import type { ChannelKind } from '../process/vocabulary.ts';
import {
  changeFrom,
  clockFrom,
  DAY_MINUTES,
  type Duty,
  dateFrom,
  dayOf,
  daysFrom,
  EVERY_MOST,
  inWeek,
  type Turns,
  turnsOf,
  WEEK_MINUTES,
  type Who,
  wallFrom,
} from './duty.ts';
import { instantAt, wallAt } from './zone-clock.ts';

/** Which part of a duty decides. `at`: which of them, from 0. */
export type Because =
  | { rule: 'except'; at: number; note: string }
  | { rule: 'hours' | 'turns'; at: number }
  | { rule: 'otherwise' };

/** Who is on duty. */
export interface OnDuty {
  /** Ids of contacts; at least one. */
  contacts: readonly string[];
  /** Over these alone they are told; null: over all that the policy names. */
  channels: readonly ChannelKind[] | null;
  /** When the answer may change next, milliseconds since 1970; null: never. */
  until: number | null;
  because: Because;
}

/** One of the hours, or what holds otherwise, as it is asked. */
interface Rule {
  because: Because;
  contacts: readonly string[];
  channels: readonly ChannelKind[] | null;
  /** Null: all of the contacts together. */
  turns: TurnCount | null;
}

/** How turns are counted. */
interface TurnCount {
  /** In milliseconds of the day or week. */
  at: number;
  change: Turns['change'];
  every: number;
  /** The wall time at which the first turn began. */
  first: number;
  /** Daily: of which days of the week (0 for Monday) a turn begins, and how many before each. */
  days: readonly number[];
}

/** A span of the week in which one rule holds, from `from` milliseconds of the week to the next one's. */
interface Span {
  from: number;
  rule: Rule;
}

/** A duty as it is asked. */
interface Week {
  spans: readonly Span[];
  /** Their times are wall times (zone-clock.ts): what has begun on a clock on the wall has begun. */
  except: readonly { from: number; to: number; answer: Omit<OnDuty, 'until'> }[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

const weeks = new WeakMap<Duty, Week>();

/**
 * Returns who is on duty at an instant (milliseconds since 1970). The one answer for planning, preview, readiness, RPC, feed and
 * console (DECISIONS.md "On duty"). The duty must not change afterwards: what is found out about it is kept with it.
 */
export function onDuty(duty: Duty, at: number): OnDuty {
  const week = weekOf(duty);
  const wall = wallAt(duty.timeZone, at);
  const { except, before } = exceptAt(week, wall);
  if (except !== null) {
    return { ...except.answer, until: instantAt(duty.timeZone, Math.min(except.to, before)) };
  }
  const { rule, turn, until } = ruleAt(week, wall);
  const changes = Math.min(until, before);
  return {
    contacts: rule.turns === null ? rule.contacts : [rule.contacts[turn]!],
    channels: rule.channels,
    until: changes === Number.POSITIVE_INFINITY ? null : instantAt(duty.timeZone, changes),
    because: rule.because,
  };
}

/** Returns the exception that holds at a wall time, and when one begins that comes before it. */
function exceptAt({ except }: Week, wall: number): { except: Week['except'][number] | null; before: number } {
  let before = Number.POSITIVE_INFINITY;
  for (const one of except) {
    if (one.from <= wall && wall < one.to) return { except: one, before };
    if (one.from > wall) before = Math.min(before, one.from);
  }
  return { except: null, before };
}

/** Returns what holds at a wall time, exceptions aside, and until when: another rule's span, or another turn. */
function ruleAt({ spans }: Week, wall: number): { rule: Rule; turn: number; until: number } {
  let place = placeIn(spans, inWeek(wall));
  let monday = wall - inWeek(wall);
  const { rule } = spans[place]!;
  const turn = turnAt(rule, wall);
  if (spans.length === 1 && rule.turns === null) return { rule, turn, until: Number.POSITIVE_INFINITY };
  // A turn goes on over as many spans as it has days or weeks.
  for (let looked = 1; ; looked++) {
    place += 1;
    if (place === spans.length) {
      place = 0;
      monday += WEEK_MS;
    }
    const span = spans[place]!;
    const until = monday + span.from;
    if (span.rule !== rule || turnAt(rule, until) !== turn || looked === LOOKED_AT) return { rule, turn, until };
  }
}

/** More than a turn has spans: one a day or week that it lasts, and those of the week's beginning. */
const LOOKED_AT = 2 * EVERY_MOST;

/** Returns whose turn it is at a wall time, from 0; 0 where nobody takes turns. */
function turnAt({ turns, contacts }: Rule, wall: number): number {
  if (turns === null) return 0;
  const { change, every, at, first, days } = turns;
  const begun =
    change === 'weekly' ? Math.floor((wall - first) / WEEK_MS) : countBetween(days, dayOf(first), dayOf(wall - at));
  const turn = Math.floor(begun / every) % contacts.length;
  return turn < 0 ? turn + contacts.length : turn;
}

/** Counts the days on which a turn begins from day `from` up to day `to`, that one left out; negative if it is before. */
function countBetween(days: readonly number[], from: number, to: number): number {
  return countUpTo(days, to) - countUpTo(days, from);
}

function countUpTo(days: readonly number[], day: number): number {
  // 1970-01-01 was a Thursday.
  const weekday = (((day + 3) % 7) + 7) % 7;
  return Math.floor((day + 3) / 7) * days[7]! + days[weekday]!;
}

/** Returns the last span that has begun. */
function placeIn(spans: readonly Span[], at: number): number {
  let [low, high] = [0, spans.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (spans[middle]!.from <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

function weekOf(duty: Duty): Week {
  const kept = weeks.get(duty);
  if (kept !== undefined) return kept;
  const made = readWeek(duty);
  weeks.set(duty, made);
  return made;
}

/** Throws on words that validation refuses. */
function readWeek({ hours, otherwise, except }: Duty): Week {
  const rules = hours.map((one, at): Rule & { windows: Window[] } => {
    const rule = turnsOf(one.who) === null ? 'hours' : 'turns';
    return { ...ruleOf(one.who, { rule, at }, one.channels), windows: windowsOf(one) };
  });
  const rest = ruleOf(otherwise, { rule: 'otherwise' }, []);
  const ruleOfMinute = (minute: number): Rule =>
    rules.find(({ windows }) => windows.some(({ from, to }) => isWithin(minute, from, to))) ?? rest;

  const edges = rules.flatMap(({ windows }) => windows.flatMap(({ from, to }) => [from, to % WEEK_MINUTES]));
  const changes = [...rules, rest].flatMap(({ turns }) => (turns === null ? [] : changesOf(turns)));
  const minutes = [...new Set([0, ...edges, ...changes])].sort((a, b) => a - b);
  const spans: Span[] = [];
  for (const minute of minutes) {
    const rule = ruleOfMinute(minute);
    const isChange = rule.turns !== null && changesOf(rule.turns).includes(minute);
    if (spans.at(-1)?.rule !== rule || isChange) spans.push({ from: minute * MINUTE_MS, rule });
  }
  for (const { turns } of [...rules, rest]) if (turns?.change === 'daily') countDays(turns, spans);
  return {
    spans,
    except: except.map(({ from, to, who, note, channels }, at) => ({
      from: readable(wallFrom(from, 'start'), from),
      to: readable(wallFrom(to, 'end'), to),
      answer: { contacts: who, channels: narrowed(channels), because: { rule: 'except', at, note } },
    })),
  };
}

function ruleOf(who: Who, because: Because, channels: readonly ChannelKind[]): Rule {
  const turns = turnsOf(who);
  const named = turns?.turns ?? (who as readonly string[]);
  return {
    because,
    contacts: named,
    channels: narrowed(channels),
    turns: turns === null || named.length === 1 ? null : turnCountOf(turns),
  };
}

function narrowed(channels: readonly ChannelKind[]): readonly ChannelKind[] | null {
  return channels.length === 0 ? null : channels;
}

function turnCountOf(turns: Turns): TurnCount {
  const { change, every } = turns;
  const at = readable(changeFrom(turns), turns.at) * MINUTE_MS;
  const since = readable(dateFrom(turns.since), turns.since);
  if (change === 'daily') return { at, change, every, first: since, days: [0, 1, 2, 3, 4, 5, 6, 7] };
  // The last change that is not after that day.
  const monday = since - inWeek(since);
  const first = monday + at < since + DAY_MS ? monday + at : monday + at - WEEK_MS;
  return { at, change, every, first, days: [] };
}

/** When turns change, in minutes of the week. */
function changesOf({ change, at }: TurnCount): number[] {
  if (change === 'weekly') return [at / MINUTE_MS];
  return Array.from({ length: 7 }, (_, day) => day * DAY_MINUTES + at / MINUTE_MS);
}

/**
 * Turns advance only on days of theirs, or a daily change under a rule for some days would leave people out for ever: a
 * day counts if its turn, which lasts until the next day's change, is on duty at all.
 */
function countDays(turns: TurnCount, spans: readonly Span[]): void {
  const own = spans.filter(({ rule }) => rule.turns === turns);
  const lengths = own.map(span => ({ from: span.from, to: spans[spans.indexOf(span) + 1]?.from ?? WEEK_MS }));
  const isOn = Array.from({ length: 7 }, (_, day) => {
    const from = day * DAY_MS + turns.at;
    const meets = (start: number, end: number) => lengths.some(span => span.from < end && span.to > start);
    return meets(from, from + DAY_MS) || meets(from - WEEK_MS, from + DAY_MS - WEEK_MS);
  });
  const before = [0];
  for (const on of isOn) before.push(before.at(-1)! + (on ? 1 : 0));
  Object.assign(turns, { days: before });
}

/** In minutes of the week; `to` may be beyond its end. */
interface Window {
  from: number;
  to: number;
}

function windowsOf({ days, from, to }: { days: string; from: string; to: string }): Window[] {
  const start = readable(clockFrom(from), from);
  const end = readable(clockFrom(to), to);
  const length = end > start ? end - start : end - start + DAY_MINUTES;
  return readable(daysFrom(days), days).map(day => {
    const begins = (day * DAY_MINUTES + start) % WEEK_MINUTES;
    return { from: begins, to: begins + length };
  });
}

function isWithin(minute: number, from: number, to: number): boolean {
  return (from <= minute && minute < to) || (from <= minute + WEEK_MINUTES && minute + WEEK_MINUTES < to);
}

function readable<Value>(value: Value | null, text: string): Value {
  if (value === null) throw new Error(`duty_unreadable: ${text}`);
  return value;
}
