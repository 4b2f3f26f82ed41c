import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { clean } from '../../services/process/text.ts';

/** Shows a message of several lines that was kept instead of sent. */
export function keptLines(message: string): string[] {
  if (message === '') return [];
  const lines = message.trimEnd().split(/\r\n|[\n\r\u2028\u2029]/);
  return lines.map(line => `  | ${clean(line)}`);
}

/** Returns a value as JSON that loses nothing and is still safe to print: unsafe characters are escaped. */
export function safeJson(value: unknown, indent?: number): string {
  const unsafe = /[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, indent).replace(unsafe, escaped);
}

/** Formats `one alarm`, `3 alarms`. */
export function count(number: number, singular: string, plural = `${singular}s`): string {
  return number === 1 ? `1 ${singular}` : `${number} ${plural}`;
}

/** Formats a time to the second, in UTC, so that it can be compared with logs, other people and other time zones. */
export function time(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Formats for which duty somebody is told: `, on duty as "Shop phone" until 2026-11-28 08:00:00 UTC`; empty for none. */
export function onDutyAs({ dutyName, onDutyUntil }: { dutyName: string; onDutyUntil?: Timestamp | undefined }): string {
  if (dutyName === '') return '';
  const until = onDutyUntil === undefined ? '' : ` until ${time(dateOf(onDutyUntil))}`;
  return `, on duty as "${clean(dutyName)}"${until}`;
}

/** Not by the library, which every start would load. */
function dateOf({ seconds }: Timestamp): Date {
  return new Date(Number(seconds) * 1_000);
}
