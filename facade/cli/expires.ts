import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { mismatch, shown } from '../../services/process/text.ts';
import { parseDuration } from './duration.ts';
import { usageFault } from './exit.ts';

/** What `--expires` accepts. */
export const EXPIRES =
  'when it ends by itself: a time such as 2027-01-31T12:00:00Z, or a duration from now such as 30d';

/** The years that a timestamp of the services can represent. */
const YEARS = { first: Date.parse('0001-01-01'), last: Date.parse('9999-12-31T23:59:59Z') };

/** Returns the time that `--expires` names. Throws a usage fault. */
export function moment(text: string): Timestamp {
  const at = /^\d+[smhd]/.test(text) ? Date.now() + parseDuration(text, '--expires') * 1000 : timeOf(text);
  if (at >= YEARS.first && at <= YEARS.last) return timestampFromDate(new Date(at));
  const accepted = 'a time such as 2027-01-31T12:00:00Z, a day, or a duration from now such as 30d';
  throw usageFault(`--expires ${mismatch(accepted, shown(text))}`);
}

/** In milliseconds since 1970; NaN if it is not a time. */
function timeOf(text: string): number {
  return /^\d{4}-\d\d-\d\d(T.*(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
}
