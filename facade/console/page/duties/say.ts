import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { DutyShift, OnDutyResponse } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import { dayIn, daysAfter } from '../parts/days.ts';
import { format, whichOfTwo } from '../parts/time.tsx';
import { language, wordsOf } from '../words.ts';
import { type DutyEdit, endsNextDay, type HoursEdit, isAllDay, type WhoEdit } from './edit.ts';
import { daysOf, runsOf, WEEKDAYS, type Weekday } from './weekdays.ts';

/*
 * What is said of duties. All times are those that clocks show in the zone of the duty.
 */

/** `18:00`, and in the night in which that comes twice which of the two it is. */
export function clockOf(at: Date, zone: string): string {
  return format(at, zone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }) + whichOfTwo(at, zone);
}

/** `Sat 28 Nov`. */
export function dayName(day: string): string {
  return format(new Date(`${day}T12:00Z`), 'UTC', { weekday: 'short', day: 'numeric', month: 'short' });
}

/** `28 Nov`. */
export function dateName(day: string): string {
  return format(new Date(`${day}T12:00Z`), 'UTC', { day: 'numeric', month: 'short' });
}

/** `18:00` today, `Mon 18:00` within six days, else with its date, and its year where that is another one. */
export function pointOf(at: Date, zone: string): string {
  const [day, today] = [dayIn(at, zone), dayIn(new Date(), zone)];
  const clock = clockOf(at, zone);
  if (day === today) return clock;
  if (day > today && day <= daysAfter(today, 6)) return `${format(at, zone, { weekday: 'short' })} ${clock}`;
  const year = day.slice(0, 4) === today.slice(0, 4) ? {} : ({ year: 'numeric' } as const);
  return `${format(at, zone, { weekday: 'short', day: 'numeric', month: 'short', ...year })}, ${clock}`;
}

/** `Fri 18:00 – Sat 08:00`, with the days where they are needed. */
export function spanOfShift({ from, until }: Span, zone: string): string {
  const say = wordsOf('duties');
  const begins = from === undefined ? '' : pointOf(timestampDate(from), zone);
  if (until === undefined) return say.forGood(begins);
  const [one, other] = [from ?? until, until].map(at => dayIn(timestampDate(at), zone));
  return `${begins} – ${one === other ? clockOf(timestampDate(until), zone) : pointOf(timestampDate(until), zone)}`;
}

interface Span {
  from?: Timestamp | undefined;
  until?: Timestamp | undefined;
}

/** `Anna and Noah`. */
export function namesIn(people: readonly { name: string }[]): string {
  return listed(people.map(({ name }) => name));
}

function listed(names: readonly string[]): string {
  return new Intl.ListFormat(language.value, { type: 'conjunction' }).format(names);
}

/** Why somebody is on duty then. */
export function becauseOf({ because, note }: Pick<DutyShift, 'because' | 'note'>): string {
  const say = wordsOf('duties');
  const why = say.because[because] ?? because;
  return note === '' ? why : `${why}: ${note}`;
}

/** Tells whether the same people are on duty. */
export function isSameOnDuty(one: Pick<OnDutyResponse, 'contacts'>, other: Pick<OnDutyResponse, 'contacts'>): boolean {
  const ids = ({ contacts }: Pick<OnDutyResponse, 'contacts'>) => contacts.map(({ contactId }) => contactId).sort();
  return String(ids(one)) === String(ids(other));
}

/** The name of a day of the week, as short as it is read. */
export function weekdayName(day: Weekday, length: 'short' | 'long' = 'short'): string {
  // 2024-01-01 was a Monday.
  return format(new Date(Date.UTC(2024, 0, 1 + WEEKDAYS.indexOf(day), 12)), 'UTC', { weekday: length });
}

/** What a duty says, line by line: its hours in their order, and what holds otherwise. */
export function rulesOf({ hours, otherwise }: DutyEdit, people: readonly Pick<Contact, 'id' | 'name'>[]) {
  const say = wordsOf('duties');
  return [
    ...hours.map(one => ({ when: whenOf(one), who: whoWords(one.who, people), over: one.channels })),
    { when: hours.length === 0 ? say.always : say.otherTimes, who: whoWords(otherwise, people), over: [] },
  ];
}

/** `Mon–Fri, 08:00–18:00`. */
export function whenOf(hours: Pick<HoursEdit, 'days' | 'from' | 'to'>): string {
  const say = wordsOf('duties');
  const runs = runsOf(daysOf(hours.days));
  const days = runs.map(([first, last]) =>
    first === last ? weekdayName(first) : `${weekdayName(first)}–${weekdayName(last)}`,
  );
  const clocks = isAllDay(hours) ? say.allDay : `${hours.from}–${hours.to === '00:00' ? '24:00' : hours.to}`;
  return `${hours.days === '' ? say.everyDay : days.join(', ')}, ${clocks}${endsNextDay(hours) ? ` ${say.nextDay}` : ''}`;
}

function whoWords({ people: named, turns }: WhoEdit, people: readonly Pick<Contact, 'id' | 'name'>[]): string {
  const say = wordsOf('duties');
  const names = named.map(id => people.find(one => one.id === id)?.name ?? wordsOf('policies').somebodyGone);
  if (names.length === 0) return say.nobodyYet;
  if (turns === null) return listed(names);
  const { change, every, day, clock } = turns;
  const at = change === 'weekly' ? `${weekdayName((day || 'mon') as Weekday)} ${clock}` : clock;
  return say.inTurns(names.join(' → '), say.changes[change](every, at));
}
