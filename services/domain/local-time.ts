/** A moment for a person: in their own zone and for the world. */
export interface LocalTime {
  /** In the person's language and zone, which is named: `Saturday, November 21, 2026 at 1:05:09 PM GMT+1 (Europe/Vienna)`. */
  local: string;
  /** `2026-11-21 12:05:09 UTC`. */
  utc: string;
}

/**
 * Writes a moment (milliseconds since 1970) for a person's locale (BCP 47) and time zone (IANA). A locale that does not
 * exist falls back to `en`, a zone that does not exist to UTC: an alert goes out in any case.
 */
export function localTime(at: number, locale: string, timeZone: string): LocalTime {
  const format = new Intl.DateTimeFormat(knownLocales(locale), {
    dateStyle: 'full',
    timeStyle: 'long',
    timeZone: isZone(timeZone) ? timeZone : 'UTC',
  });
  return {
    local: `${format.format(at)} (${format.resolvedOptions().timeZone})`,
    utc: new Date(at).toISOString().replace(/^(.*)T(.*)\.\d+Z$/, '$1 $2 UTC'),
  };
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

function isZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/**
 * A moment as short as it can be read: `3:12 AM`, and with its day where that is not the day of `near`: `Nov 21, 11:58 PM`.
 * No line breaks within it. Falls back as localTime does.
 */
export function shortTime(at: number, near: number, locale: string, timeZone: string): string {
  const zone = isZone(timeZone) ? timeZone : 'UTC';
  const locales = knownLocales(locale);
  const day = new Intl.DateTimeFormat(locales, { dateStyle: 'short', timeZone: zone });
  const clock = { hour: 'numeric', minute: '2-digit', timeZone: zone } as const;
  const withDay = { ...clock, month: 'short', day: 'numeric' } as const;
  const format = new Intl.DateTimeFormat(locales, day.format(at) === day.format(near) ? clock : withDay);
  return format.format(at).replace(/\s/g, '\u00a0');
}

/** A moment with the time first, then its day and its zone: `3:12 AM, Sunday, November 22 (Europe/Vienna)`. Falls back likewise. */
export function timeAndDay(at: number, locale: string, timeZone: string): string {
  const zone = isZone(timeZone) ? timeZone : 'UTC';
  const day = new Intl.DateTimeFormat(knownLocales(locale), {
    weekday: 'long',
    month: 'long',
    day: 'numeric',
    timeZone: zone,
  });
  return `${shortTime(at, at, locale, zone)}, ${day.format(at)} (${zone})`;
}
