import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';

/** Returns a field with a time, or no field: a proto timestamp cannot be null. */
export function timeAt<Field extends string>(
  field: Field,
  time: Date | string | null | undefined,
): Partial<Record<Field, Timestamp>> {
  return time ? ({ [field]: timestampFromDate(new Date(time)) } as Partial<Record<Field, Timestamp>>) : {};
}

/** Formats a time as ISO text, empty if absent. One outside any calendar stays a number, which its field then refuses. */
export function timeText(time: Timestamp | undefined): string {
  if (time === undefined) return '';
  const date = timestampDate(time);
  return Number.isNaN(date.getTime()) ? `${time.seconds} s after 1970` : date.toISOString();
}
