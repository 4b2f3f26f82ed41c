import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { session } from '../rpc/session.ts';
import { language } from '../words.ts';

/**
 * Returns the time zone of the account and the reader's own. `unknown`: the account's zone if this browser does not know
 * it and UTC takes its place; else empty.
 */
export function zones(): { account: string; own: string; unknown: string } {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const account = session.value.is === 'signed_in' ? session.value.account.ownerTimeZone : '';
  if (account === '') return { account: own, own, unknown: '' };
  return isKnown(account) ? { account, own, unknown: '' } : { account: 'UTC', own, unknown: account };
}

/** Returns a zone, or UTC where this browser does not know it. */
export function knownZone(zone: string): string {
  return isKnown(zone) ? zone : 'UTC';
}

const known = new Map<string, boolean>();

function isKnown(zone: string): boolean {
  const before = known.get(zone);
  if (before !== undefined) return before;
  let is = true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    is = false;
  }
  known.set(zone, is);
  return is;
}

/** The city of a zone, as people say it. */
export function cityOf(zone: string): string {
  return zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
}

export function clockIn(at: Date, zone: string): string {
  return format(at, zone, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
}

/** Adds the date if it is another day, and the year if it is another year. */
export function dayAndClockIn(at: Date, zone: string): string {
  const now = new Date();
  const clock = clockIn(at, zone);
  return isSameDay(at, now, zone) ? clock : `${dateIn(at, zone, now)}, ${clock}`;
}

function isSameDay(one: Date, other: Date, zone: string): boolean {
  const day = (of: Date) => format(of, zone, { year: 'numeric', month: 'numeric', day: 'numeric' });
  return day(one) === day(other);
}

/** `03:12:12` on the same day, else with its date, and its year where it is another; the whole of it with its zone for whoever asks. */
export function Time({ at }: { at: Timestamp | Date | undefined }) {
  if (at === undefined) return null;
  const date = at instanceof Date ? at : timestampDate(at);
  const { account, own } = zones();
  const now = new Date();
  const isToday = isSameDay(date, now, account);
  const prefix = isToday ? '' : `${dateIn(date, account, now)}, `;
  const whole = (zone: string) => `${format(date, zone, { dateStyle: 'full', timeStyle: 'long' })} (${cityOf(zone)})`;
  const title = account === own ? whole(account) : `${whole(account)}\n${whole(own)}`;
  return (
    <time dateTime={date.toISOString()} title={title}>
      {prefix}
      {isToday ? clockIn(date, account) : clockIn(date, account).slice(0, 5)}
      {whichOfTwo(date, account)}
    </time>
  );
}

/** `14 Aug`, and its year where that is not the one of `now`, as the zone counts years. */
function dateIn(date: Date, zone: string, now: Date): string {
  const year = (of: Date) => format(of, zone, { year: 'numeric' });
  const isThisYear = year(date) === year(now);
  return format(date, zone, { day: 'numeric', month: 'short', ...(isThisYear ? {} : { year: 'numeric' }) });
}

const HOUR_MS = 3_600_000;

/** Tells whether clocks show that time twice in one night, as they do when summer time ends. */
function isTwice(at: Date, zone: string): boolean {
  const shows = (ms: number) => format(new Date(ms), zone, { dateStyle: 'short', timeStyle: 'medium' });
  return [-HOUR_MS, HOUR_MS].some(by => shows(at.getTime() + by) === shows(at.getTime()));
}

/** Returns what tells a time apart that clocks show twice that night, such as ` CEST`; empty for all others. */
export function whichOfTwo(at: Date, zone: string): string {
  return isTwice(at, zone) ? ` ${zoneAt(at, zone)}` : '';
}

/** Returns the suffix that tells such times apart: `CEST` or `GMT+2`. */
function zoneAt(at: Date, zone: string): string {
  const parts = formatFor(zone, { hour: '2-digit', timeZoneName: 'short' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** Cached, because formats are costly to make. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Writes a moment in the reader's language. A zone that this browser does not know is UTC. */
export function format(at: Date, timeZone: string, options: Intl.DateTimeFormatOptions): string {
  return formatFor(timeZone, options).format(at);
}

function formatFor(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const timeZone = knownZone(zone);
  const key = `${language.value} ${timeZone} ${JSON.stringify(options)}`;
  const known =
    formats.get(key) ??
    new Intl.DateTimeFormat(language.value === 'en' ? 'en-GB' : language.value, { ...options, timeZone });
  formats.set(key, known);
  return known;
}

/** Returns how long ago something was, such as `3 min. ago`, in the largest unit that fits. */
export function agoOf(at: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - at.getTime()) / 1_000));
  const [size, unit] = AGO.find(([size]) => seconds >= size) ?? AGO.at(-1)!;
  const style = { style: 'short', numeric: 'always' } as const;
  return new Intl.RelativeTimeFormat(language.value, style).format(-Math.floor(seconds / size), unit);
}

const AGO = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;
