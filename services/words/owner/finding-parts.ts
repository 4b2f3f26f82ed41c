import { localDay } from '../../domain/local-time.ts';
import type { TonightPerson } from '../../domain/tonight.ts';
import type { FindingSource, FindingWords } from './types.ts';

/* What a finding is said with in every language. */

/** The most people and the most sources that a sentence names: more are told by their number. */
export const MOST_NAMES = 3;
export const MOST_SOURCES = 5;

export function say(problem: string, fix: string): FindingWords {
  return { problem, fix };
}

/** Returns the beginning of the command that changes a source. */
export function update({ kind, key }: FindingSource): string {
  return `tocsin ${kind === 'alarm' ? 'alarms' : 'panic-buttons'} update ${key}`;
}

/** Returns the minute of a time in milliseconds since 1970, in a zone: `2026-11-28 08:00 (Europe/Vienna)`. */
export function inZone(at: number, timeZone: string): string {
  const { day, time, zone } = localDay(new Date(at).toISOString(), timeZone)!;
  return `${day} ${time} ${zone}`;
}

/** Returns the minute of a time in milliseconds since 1970, in UTC. */
export function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** Groups people who are told at the same moment over the same channels: a sentence names them together. */
export function moments(people: readonly TonightPerson[]): TonightPerson[][] {
  const alike = ({ afterS, channels }: TonightPerson) => `${afterS} ${channels.map(({ channel }) => channel).join()}`;
  return [...Map.groupBy(people, alike).values()];
}
