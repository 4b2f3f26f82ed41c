import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';

/** A text that is empty where nothing was given. */
export function orAbsent(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/** A number that is 0 where nothing was given. */
export function numberOrAbsent(number: number): number | undefined {
  return number === 0 ? undefined : number;
}

/** A list that is empty where nothing was given. */
export function listOrAbsent<T>(list: T[]): T[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** A time that may be absent: the field is left out, because a proto timestamp cannot be null. */
export function timeAt<Field extends string>(
  field: Field,
  time: Date | string | null | undefined,
): Partial<Record<Field, Timestamp>> {
  return time ? ({ [field]: timestampFromDate(new Date(time)) } as Partial<Record<Field, Timestamp>>) : {};
}
