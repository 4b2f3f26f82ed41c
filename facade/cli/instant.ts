import { type Timestamp, timestampDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { mismatch, shown } from '../../services/process/text.ts';
import { parseDuration } from './duration.ts';
import { usageFault } from './exit.ts';

/** What `--at` and its like accept. */
export const INSTANT =
  'a time such as 2026-11-28T08:00+01:00, without a zone by the clock of this machine, or a duration from now such as 12h';

/** Returns the time that a flag names; undefined if it is not given. Throws a usage fault. */
export function instant(text: string | undefined, flag: string): Timestamp | undefined {
  if (text === undefined) return undefined;
  const at = /^\d+[smhd]/.test(text) ? Date.now() + parseDuration(text, flag) * 1000 : timeOf(text);
  if (!Number.isNaN(at)) return timestampFromMs(at);
  throw usageFault(`${flag} ${mismatch(INSTANT, shown(text))}`);
}

/** In milliseconds since 1970; NaN if it is not a time. */
function timeOf(text: string): number {
  const [, day, clock, zone = ''] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  return Date.parse(`${day}T${clock}${zone}`);
}

/** Formats a time as the clocks of a zone show it: `Sat 2026-11-28 08:00`. */
export function inZone(at: Timestamp, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(timestampDate(at));
  const part = (type: string) => parts.find(one => one.type === type)?.value ?? '';
  return `${part('weekday')} ${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}`;
}
