import { createLru } from '../process/lru.ts';

const STYLES = {
  whole: { dateStyle: 'full', timeStyle: 'long' },
  date: { dateStyle: 'short' },
  clock: { hour: 'numeric', minute: '2-digit' },
  clockInZone: { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
  clockAndDayInZone: { hour: 'numeric', minute: '2-digit', month: 'short', day: 'numeric', timeZoneName: 'short' },
  clockAndDay: { hour: 'numeric', minute: '2-digit', month: 'short', day: 'numeric' },
  day: { weekday: 'long', month: 'long', day: 'numeric' },
  stamp: { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/**
 * How many formats are kept. An account has few languages and zones; the limit keeps hostile input from filling the
 * memory.
 */
const MOST_KEPT = 500;

/** Creating a format takes a hundred times as long as using it: too long at two hundred alerts a second. */
const formats = createLru<string, Intl.DateTimeFormat>(MOST_KEPT);

/**
 * Writes a moment (milliseconds since 1970) for a person's locale (BCP 47) and time zone (IANA), which it names: `Saturday,
 * November 21, 2026 at 1:05:09 PM GMT+1 (Europe/Vienna)`. An unknown locale falls back to `en`, an unknown zone to UTC: an alert goes out in any case.
 */
export function localTime(at: number, locale: string, timeZone: string): string {
  const format = formatFor('whole', locale, timeZone);
  return `${format.format(at)} (${format.resolvedOptions().timeZone})`;
}

/**
 * Writes a moment as short as possible: `3:12 AM`, with the day if it differs from the day of `near`: `Nov 21, 11:58
 * PM`. In the hour that clocks go through twice it also says which one: `2:30 AM GMT+1`. Contains no line break
 * opportunities. Falls back like localTime.
 */
export function shortTime(at: number, near: number, locale: string, timeZone: string): string {
  const date = formatFor('date', locale, timeZone);
  const style = date.format(at) === date.format(near) ? 'clock' : 'clockAndDay';
  const inZone = comesTwice(at, timeZone) === 'twice' ? (`${style}InZone` as const) : style;
  return formatFor(inZone, locale, timeZone).format(at).replace(/\s/g, '\u00a0');
}

const HOUR_MS = 3_600_000;

/** Tells whether clocks show the same time an hour before or after: where summer time ends. */
function comesTwice(at: number, timeZone: string): 'once' | 'twice' {
  const stamp = formatFor('stamp', 'en', timeZone);
  const shown = stamp.format(at);
  return [at - HOUR_MS, at + HOUR_MS].some(other => stamp.format(other) === shown) ? 'twice' : 'once';
}

/**
 * Writes a moment with the time first, then day and zone: `3:12 AM, Sunday, November 22 (Europe/Vienna)`. Falls back
 * like localTime.
 */
export function timeAndDay(at: number, locale: string, timeZone: string): string {
  const day = formatFor('day', locale, timeZone);
  const zone = day.resolvedOptions().timeZone;
  return `${shortTime(at, at, locale, timeZone)}, ${day.format(at)} (${zone})`;
}

/**
 * Returns day (`2026-11-22`), time (`14:05`) and zone label of a moment given as ISO text; null if the text is not a
 * time.
 */
export function localDay(iso: string, timeZone: string): { day: string; time: string; zone: string } | null {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return null;
  const format = formatFor('stamp', 'sv-SE', timeZone);
  const [day = '', time = ''] = format.format(at).split(' ');
  const zone = format.resolvedOptions().timeZone;
  return { day, time, zone: zone === 'UTC' ? zone : `(${zone})` };
}

function formatFor(style: keyof typeof STYLES, locale: string, timeZone: string): Intl.DateTimeFormat {
  const key = `${style} ${locale} ${timeZone}`;
  const kept = formats.get(key);
  if (kept !== undefined) return kept;
  const made = makeFormat(style, locale, timeZone);
  formats.set(key, made);
  return made;
}

function makeFormat(style: keyof typeof STYLES, locale: string, timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(knownLocales(locale), { ...STYLES[style], timeZone });
  } catch {
    return new Intl.DateTimeFormat(knownLocales(locale), { ...STYLES[style], timeZone: 'UTC' });
  }
}

/** `en` comes last, or a well-formed locale without data would become the locale of the machine. */
function knownLocales(locale: string): string[] {
  return isLocale(locale) ? [locale, 'en'] : ['en'];
}

function isLocale(locale: string): boolean {
  try {
    return Intl.getCanonicalLocales(locale).length > 0;
  } catch {
    return false;
  }
}
