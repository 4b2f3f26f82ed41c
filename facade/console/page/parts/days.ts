/** Returns the day of a moment in a time zone: `2027-01-31`. */
export function dayIn(at: Date, zone: string): string {
  return wallClock(at, zone).toISOString().slice(0, 10);
}

/** Returns the last second of a day, such as `2027-01-31`, in a time zone. */
export function endOfDayIn(day: string, zone: string): Date {
  return momentIn(`${day}T23:59:59`, zone);
}

/** Returns when the clocks of a time zone show `2027-01-31T08:00`, with seconds or without. */
export function momentIn(text: string, zone: string): Date {
  const shown = Date.parse(`${text}Z`);
  // What the clock is ahead by then; near a change of clocks it takes a second look.
  let at = shown;
  for (let look = 0; look < 2; look++) at += shown - wallClock(new Date(at), zone).getTime();
  return new Date(at);
}

/** Returns what the clocks of a time zone show at a moment, as fields for a day and a time have it: `2027-01-31T08:00`. */
export function shownIn(at: Date, zone: string): string {
  return wallClock(at, zone).toISOString().slice(0, 16);
}

/** Returns the day so many days after another. */
export function daysAfter(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}

const DAY_MS = 86_400_000;

/** Returns what the clocks of a zone show at a moment, as if it were UTC. */
function wallClock(at: Date, timeZone: string): Date {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find(part => part.type === type)?.value);
  return new Date(Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')));
}
