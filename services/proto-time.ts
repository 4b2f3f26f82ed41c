import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';

/** A time that may be absent: the field is left out, because a proto timestamp cannot be null. */
export function timeAt<Field extends string>(
  field: Field,
  time: Date | string | null | undefined,
): Partial<Record<Field, Timestamp>> {
  return time ? ({ [field]: timestampFromDate(new Date(time)) } as Partial<Record<Field, Timestamp>>) : {};
}
