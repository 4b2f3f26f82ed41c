import { createLru } from '../process/lru.ts';

/** A moment for a person: in their own zone and for the world. */
export interface LocalTime {
  /** In the person's language and zone, which is named: `Saturday, November 21, 2026 at 1:05:09 PM GMT+1 (Europe/Vienna)`. */
  local: string;
  /** `2026-11-21 12:05:09 UTC`. */
  utc: string;
}

/** The ways in which a moment is written. */
const STYLES = {
  whole: { dateStyle: 'full', timeStyle: 'long' },
  date: { dateStyle: 'short' },
  clock: { hour: 'numeric', minute: '2-digit' },
  clockAndDay: { hour: 'numeric', minute: '2-digit', month: 'short', day: 'numeric' },
  day: { weekday: 'long', month: 'long', day: 'numeric' },
  stamp: { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** How many formats are kept: an account has few languages and zones, and attackers' text must not fill the memory. */
const MOST_KEPT = 500;

/** Making a format takes a hundred times as long as using it: at two hundred alerts a second that is all the time there is. */
const formats = createLru<string, Intl.DateTimeFormat>(MOST_KEPT);

/**
 * Writes a moment (milliseconds since 1970) for a person's locale (BCP 47) and time zone (IANA). A locale that does not
 * exist falls back to `en`, a zone that does not exist to UTC: an alert goes out in any case.
 */
export function localTime(at: number, locale: string, timeZone: string): LocalTime {
  const format = formatFor('whole', locale, timeZone);
  return {
    local: `${format.format(at)} (${format.resolvedOptions().timeZone})`,
    utc: new Date(at).toISOString().replace(/^(.*)T(.*)\.\d+Z$/, '$1 $2 UTC'),
  };
}

/**
 * A moment as short as it can be read: `3:12 AM`, and with its day where that is not the day of `near`: `Nov 21, 11:58 PM`.
 * No line breaks within it. Falls back as localTime does.
 */
export function shortTime(at: number, near: number, locale: string, timeZone: string): string {
  const date = formatFor('date', locale, timeZone);
  const style = date.format(at) === date.format(near) ? 'clock' : 'clockAndDay';
  return formatFor(style, locale, timeZone).format(at).replace(/\s/g, '\u00a0');
}

/** A moment with the time first, then its day and its zone: `3:12 AM, Sunday, November 22 (Europe/Vienna)`. Falls back likewise. */
export function timeAndDay(at: number, locale: string, timeZone: string): string {
  const day = formatFor('day', locale, timeZone);
  const zone = day.resolvedOptions().timeZone;
  return `${shortTime(at, at, locale, timeZone)}, ${day.format(at)} (${zone})`;
}

/** The day (`2026-11-22`) and the time (`14:05`) of a moment in ISO text, and the zone as it is said. Null: it is none. */
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

/** `en` last: a well-formed locale that nobody has data for would else become the locale of the machine. */
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
