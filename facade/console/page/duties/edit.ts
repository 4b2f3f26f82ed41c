import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Duty, DutyWho } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import { dayIn, daysAfter } from '../parts/days.ts';
import { knownZone, zones } from '../parts/time.tsx';
import { session } from '../rpc/session.ts';
import { daysOf, daysText, EVERY_DAY, NO_DAY, WEEKDAYS, weekdayOf } from './weekdays.ts';

/** A duty as its form holds it, plain. Covers, swaps and holidays are no part of it: they are changed by themselves. */
export interface DutyEdit {
  id: string;
  key: string;
  version: number;
  name: string;
  timeZone: string;
  hours: HoursEdit[];
  otherwise: WhoEdit;
  tell: boolean;
}

export interface HoursEdit {
  /** As messages have them: `mon-fri`. */
  days: string;
  /** `HH:MM`; the end of a day is `00:00`, as fields have it. */
  from: string;
  to: string;
  who: WhoEdit;
  channels: string[];
}

/** People on duty together, or with `turns` one after the other. */
export interface WhoEdit {
  people: string[];
  turns: TurnsEdit | null;
}

export interface TurnsEdit {
  change: 'daily' | 'weekly';
  /** So many days or weeks each. */
  every: number;
  /** Of which day of the week, where it is weekly: `sat`. */
  day: string;
  /** `HH:MM`. */
  clock: string;
  /** `YYYY-MM-DD`. */
  since: string;
}

/** The fields that the form changes, as a mask of the service names them. */
export const DUTY_MASK = { paths: ['key', 'name', 'time_zone', 'hours', 'otherwise', 'tell'] };

const MIDNIGHT = '00:00';

/** What the edit of a duty is called, as in useDraft. */
export function dutyDraft(id: string): string {
  return `duty ${id || 'new'}`;
}

/** Returns a duty to begin with: weekdays, and at all other times whoever is signed in, else the first of the people. */
export function newDuty(people: readonly Contact[]): DutyEdit {
  const own = session.value.is === 'signed_in' ? (session.value.who.member?.email ?? '') : '';
  const first = people.find(({ channels }) => channels.some(({ address }) => address === own)) ?? people[0];
  return {
    id: '',
    key: '',
    version: 0,
    name: '',
    timeZone: zones().account,
    hours: [hoursOn('mon-fri')],
    otherwise: { people: first === undefined ? [] : [first.id], turns: null },
    tell: true,
  };
}

export function dutyEditOf({ id, key, version, name, timeZone, hours, otherwise, tell }: Duty): DutyEdit {
  return {
    ...{ id, key, version, name, timeZone },
    hours: hours.map(({ days, from, to, who, channels }) => ({
      days,
      from: from || MIDNIGHT,
      to: to === '' || to === '24:00' ? MIDNIGHT : to,
      who: whoEditOf(who),
      channels: [...channels],
    })),
    otherwise: whoEditOf(otherwise),
    tell: tell ?? true,
  };
}

function whoEditOf(who: DutyWho | undefined): WhoEdit {
  if (who?.turns === undefined) return { people: [...(who?.contactIds ?? [])], turns: null };
  const { contactIds, change, every, at, since } = who.turns;
  const [day = '', clock = at] = at.includes(' ') ? at.split(' ') : ['', at];
  return {
    people: [...contactIds],
    turns: { change: change === 'daily' ? 'daily' : 'weekly', every, day, clock, since },
  };
}

/** Returns the message of an edit. */
export function dutyOf({ hours, otherwise, ...rest }: DutyEdit) {
  return {
    ...rest,
    hours: hours.map(({ to, who, ...one }) => ({ ...one, to: to === MIDNIGHT ? '24:00' : to, who: whoOf(who) })),
    otherwise: whoOf(otherwise),
  };
}

function whoOf({ people, turns }: WhoEdit) {
  if (turns === null) return { contactIds: people };
  const { change, every, day, clock, since } = turns;
  return { turns: { contactIds: people, change, every, at: change === 'weekly' ? `${day} ${clock}` : clock, since } };
}

/** Tells whether hours last from midnight to midnight. */
export function isAllDay({ from, to }: Pick<HoursEdit, 'from' | 'to'>): boolean {
  return from === MIDNIGHT && to === MIDNIGHT;
}

/** Tells whether hours end on the day after the one on which they begin. */
export function endsNextDay({ from, to }: Pick<HoursEdit, 'from' | 'to'>): boolean {
  return to !== MIDNIGHT && to <= from;
}

/** Returns further hours: whole days of the week that none of the others are on. */
export function hoursAfter(hours: readonly HoursEdit[]): HoursEdit {
  const taken = new Set(hours.flatMap(({ days }) => daysOf(days)));
  const left = WEEKDAYS.filter(day => !taken.has(day));
  return hoursOn(left.length === 0 ? EVERY_DAY : daysText(left));
}

function hoursOn(days: string): HoursEdit {
  return { days, from: MIDNIGHT, to: MIDNIGHT, who: { people: [], turns: null }, channels: [] };
}

/** Where turns that nobody has set begin and change: with the first day of the hours, when those begin, from the next one on. */
export function turnsFor({ days, from }: Pick<HoursEdit, 'days' | 'from'>, zone: string): TurnsEdit {
  const own = daysOf(days);
  const day = firstOf(own);
  const today = dayIn(new Date(), knownZone(zone));
  const isOn = own.includes(weekdayOf(today)) || own.length === 0;
  const ahead = (WEEKDAYS.indexOf(day) - WEEKDAYS.indexOf(weekdayOf(today)) + 7) % 7;
  // Nobody hands a phone over at midnight of a night on which it is on.
  const clock = days === EVERY_DAY && from === MIDNIGHT ? '08:00' : from;
  return { change: 'weekly', every: 1, day, clock, since: isOn ? today : daysAfter(today, ahead) };
}

/** The first of days in a row: of `fri-mon` it is Friday. */
function firstOf(days: readonly (typeof WEEKDAYS)[number][]) {
  const isFirst = (day: (typeof WEEKDAYS)[number]) => !days.includes(WEEKDAYS[(WEEKDAYS.indexOf(day) + 6) % 7]!);
  return days.find(isFirst) ?? 'mon';
}

/** Returns hours with changes; turns that were as proposed go along with the days and the time. */
export function hoursWith(hours: HoursEdit, changes: Partial<HoursEdit>, zone: string): HoursEdit {
  const { turns } = hours.who;
  const next = { ...hours, ...changes };
  const isMoved = changes.days !== undefined || changes.from !== undefined;
  if (!isMoved || turns === null || next.days === NO_DAY) return next;
  const before = turnsFor(hours, zone);
  const after = turnsFor(next, zone);
  const kept = (['day', 'clock', 'since'] as const).filter(field => turns[field] !== before[field]);
  const own = Object.fromEntries(kept.map(field => [field, turns[field]]));
  const { change, every } = turns;
  return { ...next, who: { ...next.who, turns: { ...after, ...own, change, every } } };
}
