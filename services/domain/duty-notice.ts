import type { Duty, DutyException } from './duty.ts';
import { wallFrom } from './duty.ts';
import { exceptionWords } from './duty-covers.ts';
import { shiftsOf } from './duty-shifts.ts';
import type { NoticeAbout } from './notice.ts';
import { instantAt } from './zone-clock.ts';

/*
 * Who is told what of a duty (DECISIONS.md "Told of a duty"): each person once for each change, or for each instant at which
 * duties begin. Times are milliseconds since 1970, by clocks.
 */

/** How many people one change, or one instant at which duties begin, tells of an account. */
export const TOLD_MOST = 200;

/** How many exceptions of a duty, new or gone, people are told of: a swap has two, a list of next year's holidays more. */
const EXCEPTIONS_TOLD_MOST = 10;

/** How many such exceptions of all duties of a change are looked at. */
const SPANS_MOST = 400;

/** How many shifts of a span are looked at for who is replaced in it. */
const SHIFTS_MOST = 50;

/** A span that begins sooner, in milliseconds, is told by its beginning. */
const SOON_MS = 60_000;

/** How many of their changes somebody is told in full; of the rest, how many there are. */
export const CHANGES_SAID = 3;

/** A duty before and after a change. */
export interface ChangedDuty {
  before: Named;
  after: Named;
}

type Named = Duty & { name: string };

/** What an exception that was added is for somebody. */
export interface DutyChange {
  contactId: string;
  duty: string;
  part: 'comes' | 'goes';
  /** Who is instead of them, or in whose place they are. */
  others: readonly string[];
  from: number;
  until: number;
  note: string;
}

/** Somebody, and all that a change is for them; what they come on duty by is first. */
export interface ToldChanges {
  contactId: string;
  changes: readonly DutyChange[];
}

/**
 * Returns whom a change tells: those who come on duty by an exception that it adds, and those in whose place they are, and
 * the other way round where one falls away; those who come on duty first where there are more than TOLD_MOST.
 */
export function toldOfChange(changed: readonly ChangedDuty[], now: number): ToldChanges[] {
  const spans = changed.flatMap(one => spansOf(one, now)).slice(0, SPANS_MOST);
  const changes = spans.flatMap(span => changesOf(span, now));
  const comeFirst = changes.toSorted((one, other) => Number(one.part === 'goes') - Number(other.part === 'goes'));
  const byPerson = Map.groupBy(comeFirst, ({ contactId }) => contactId);
  return [...byPerson].slice(0, TOLD_MOST).map(([contactId, changes]) => ({ contactId, changes }));
}

/** A span in which an exception puts others on duty, or did. */
interface Span {
  /** The duty without it. */
  without: Named;
  duty: string;
  exception: DutyException;
  /** Whether the change adds it; else it falls away. */
  is: 'added' | 'gone';
  from: number;
  until: number;
}

/** Returns the exceptions that a change adds or removes, and that are not over. */
function spansOf({ before, after }: ChangedDuty, now: number): Span[] {
  const span =
    (is: Span['is'], { timeZone }: Named, without: Named) =>
    (exception: DutyException) => ({
      ...{ without, duty: after.name, exception, is },
      from: instantAt(timeZone, wallFrom(exception.from, 'start')!),
      until: instantAt(timeZone, wallFrom(exception.to, 'end')!),
    });
  const notIn = ({ except }: Named) => {
    const known = new Set(except.map(exceptionWords));
    return (one: DutyException) => !known.has(exceptionWords(one));
  };
  return [
    ...after.except.filter(notIn(before)).map(span('added', after, before)),
    ...before.except.filter(notIn(after)).map(span('gone', before, after)),
  ]
    .filter(({ until }) => until > now)
    .slice(0, EXCEPTIONS_TOLD_MOST);
}

function changesOf({ without, duty, exception, is, from, until }: Span, now: number): DutyChange[] {
  const { who, note } = exception;
  const shifts = shiftsOf(without, Math.max(from, now), until, SHIFTS_MOST);
  const usual = [...new Set(shifts.flatMap(({ contacts }) => contacts))];
  const [were, are] = is === 'added' ? [usual, who] : [who, usual];
  const come = are.filter(id => !were.includes(id));
  const go = were.filter(id => !are.includes(id));
  const change = (part: DutyChange['part'], others: readonly string[]) => (contactId: string) => ({
    ...{ contactId, duty, part, others, from, until, note },
  });
  // Who comes at once is told by the beginning.
  const told = from > now + SOON_MS ? come : [];
  return [...told.map(change('comes', go)), ...go.map(change('goes', are))];
}

/** Returns the details of a notice of changes (notice.ts): the second and third have their number after each name. */
export function aboutChanges({ changes }: ToldChanges, nameOf: (id: string) => string): NoticeAbout {
  const said = changes.slice(0, CHANGES_SAID).flatMap(({ duty, part, others, from, until, note }, at) =>
    Object.entries({
      duty,
      part,
      fromAt: iso(from),
      untilAt: iso(until),
      names: others.map(nameOf).join(', '),
      note,
    }).map(([name, value]) => [at === 0 ? name : `${name}${at + 1}`, value] as const),
  );
  const more = changes.length - CHANGES_SAID;
  return { ...Object.fromEntries(said), ...(more > 0 && { more }) };
}

/** Somebody came on a duty. */
export interface Began {
  accountId: string;
  /** When it was to be looked at: those of one change, and those that begin at one instant, have the same. */
  lookAt: number;
  contactId: string;
  duty: string;
  /** The names of who else is on it. */
  others: readonly string[];
  until: number | null;
}

/** Returns the same, once for each person, of at most TOLD_MOST people of an account and instant. */
export function beganOnce(began: readonly Began[]): Began[] {
  const byInstant = Map.groupBy(began, ({ accountId, lookAt }) => `${accountId}/${lookAt}`);
  return [...byInstant.values()].flatMap(all =>
    [...Map.groupBy(all, ({ contactId }) => contactId).values()].slice(0, TOLD_MOST).map(together),
  );
}

/** Several duties that somebody came on at once are told as one; where they end at different times, without an end. */
function together(all: readonly Began[]): Began {
  const [first] = all as [Began];
  return {
    ...first,
    duty: all.map(({ duty }) => duty).join(', '),
    others: [...new Set(all.flatMap(({ others }) => others))],
    until: all.every(({ until }) => until === first.until) ? first.until : null,
  };
}

/** Returns the details of the notice that a duty began (notice.ts). */
export function aboutBegan({ duty, others, until }: Began): NoticeAbout {
  return { duty, names: others.join(', '), ...(until !== null && { untilAt: iso(until) }) };
}

/** What is stored of a notice beside its details, in bytes, its deliveries included. */
const NOTICE_BYTES = 600;

/** Returns how many bytes a notice makes the database keep. */
export function noticeBytes(about: NoticeAbout): number {
  return NOTICE_BYTES + Buffer.byteLength(JSON.stringify(about));
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
