import type { DutyException } from './duty.ts';

/** The most exceptions that a duty has. */
export const EXCEPTIONS_MOST = 100;

/** What makes an exception the same as another, however it came about: stored ones have their fields in another order. */
export function exceptionWords({ from, to, who, note, channels }: DutyException): string {
  return JSON.stringify([from, to, who, note, channels]);
}

/** Returns exceptions as they were written, those marked as covers that already are some. */
export function coversMarked<One extends DutyException>(before: readonly One[], written: readonly One[]): One[] {
  const covers = new Set(before.filter(({ cover }) => cover).map(exceptionWords));
  return written.map(one => (covers.has(exceptionWords(one)) ? { ...one, cover: true } : one));
}

/**
 * Returns the exceptions of a duty after a file: those of the file, and before them the covers and swaps that it does not name,
 * which nobody who writes files knows of (DECISIONS.md "A duty in a file"). `remains`: whether a contact is still there; a cover
 * that names one who is not falls away, and so do the oldest where there would be too many.
 */
export function coversKept<One extends DutyException>(
  before: readonly One[],
  ofFile: readonly One[],
  remains: (contactId: string) => boolean,
): One[] {
  const written = coversMarked(before, ofFile);
  const named = new Set(written.map(exceptionWords));
  const kept = before.filter(one => one.cover && !named.has(exceptionWords(one)) && one.who.every(remains));
  return [...kept.slice(0, Math.max(0, EXCEPTIONS_MOST - written.length)), ...written];
}
