import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';

/** A time that may be absent: the field is left out, because a proto timestamp cannot be null. */
export function timeAt<Field extends string>(
  field: Field,
  time: Date | string | null | undefined,
): Partial<Record<Field, Timestamp>> {
  return time ? ({ [field]: timestampFromDate(new Date(time)) } as Partial<Record<Field, Timestamp>>) : {};
}

/** As ISO text, empty where it is absent; what no calendar has stays a number, which a field refuses with its own sentence. */
export function timeText(time: Timestamp | undefined): string {
  if (time === undefined) return '';
  const date = timestampDate(time);
  return Number.isNaN(date.getTime()) ? `${time.seconds} s after 1970` : date.toISOString();
}
