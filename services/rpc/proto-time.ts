import { type Timestamp, timestampDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { toWall } from '../process/wall-clock.ts';

/*
 * The one place where times leave and enter: callers have clocks, the product has the deployment's time
 * (DECISIONS.md "One clock"; process/wall-clock.ts).
 */

/** Returns a time of the deployment (milliseconds since 1970, a date or ISO text) as callers read it. */
export function protoTime(time: Date | string | number): Timestamp {
  return timestampFromMs(toWall(new Date(time).getTime()));
}

/** Returns a field with a time, or no field: a proto timestamp cannot be null. */
export function timeAt<Field extends string>(
  field: Field,
  time: Date | string | null | undefined,
): Partial<Record<Field, Timestamp>> {
  return time ? ({ [field]: protoTime(time) } as Partial<Record<Field, Timestamp>>) : {};
}

/** Returns a field with a time that was chosen, from such text (`timeText`); no field if it is empty. */
export function chosenAt<Field extends string>(field: Field, text: string): Partial<Record<Field, Timestamp>> {
  return text === '' ? {} : ({ [field]: timestampFromMs(Date.parse(text)) } as Partial<Record<Field, Timestamp>>);
}

/**
 * Formats a time that a caller chose, as they wrote it, as ISO text; empty if absent. One outside any calendar stays a
 * number, which its field then refuses.
 */
export function timeText(time: Timestamp | undefined): string {
  if (time === undefined) return '';
  const date = timestampDate(time);
  return Number.isNaN(date.getTime()) ? `${time.seconds} s after 1970` : date.toISOString();
}

/** Returns the duty for which somebody is told, and until when by clocks they are on it; no field if there is none. */
export function onDutyView(onDuty: { duty: string; until: number | null } | undefined) {
  if (onDuty === undefined) return {};
  const { duty, until } = onDuty;
  return { dutyName: duty, ...(until !== null && { onDutyUntil: timestampFromMs(until) }) };
}
