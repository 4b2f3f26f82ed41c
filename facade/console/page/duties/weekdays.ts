/** The days of the week as messages have them. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const EVERY_DAY = '';

/** What the form holds where no day is chosen: no duty is on such days, so that it is never stored. */
export const NO_DAY = 'none';

/** Returns the days that a text such as `mon-fri,sun` names, from Monday on. */
export function daysOf(text: string): Weekday[] {
  if (text === EVERY_DAY) return [...WEEKDAYS];
  const named = text.split(',').flatMap(part => {
    const [first = -1, last = first] = part.split('-').map(word => WEEKDAYS.indexOf(word.trim() as Weekday));
    if (first < 0 || last < 0) return [];
    return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, at) => WEEKDAYS[(first + at) % 7]!);
  });
  return WEEKDAYS.filter(day => named.includes(day));
}

/** Returns the text that names days. */
export function daysText(days: readonly Weekday[]): string {
  if (days.length === 7) return EVERY_DAY;
  return days.length === 0
    ? NO_DAY
    : runsOf(days)
        .map(([first, last]) => textOf(first, last))
        .join(',');
}

function textOf(first: Weekday, last: Weekday): string {
  return first === last ? first : `${first}-${last}`;
}

/** Returns days in a row by their first and last, as people say them; Sunday and Monday stay apart. */
export function runsOf(days: readonly Weekday[]): [first: Weekday, last: Weekday][] {
  const runs: [Weekday, Weekday][] = [];
  for (const day of WEEKDAYS.filter(one => days.includes(one))) {
    const run = runs.at(-1);
    if (run !== undefined && WEEKDAYS.indexOf(run[1]) + 1 === WEEKDAYS.indexOf(day)) run[1] = day;
    else runs.push([day, day]);
  }
  return runs;
}

/** Returns the day of the week of `2027-01-31`. */
export function weekdayOf(day: string): Weekday {
  // 1970-01-01 was a Thursday.
  return WEEKDAYS[(Date.parse(`${day}T00:00Z`) / 86_400_000 + 3) % 7]!;
}
