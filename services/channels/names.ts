import type { IncidentAlert } from '../domain/alert.ts';
import { type Fired, responseOf } from '../domain/common-words.ts';
import { clean, cleanLines } from '../process/text.ts';
import type { Phrases } from './phrases.ts';

/** A name as its owner wrote it, safe to show, at most `most` characters; words in its place where nothing is left. */
export function named(text: string, phrases: Phrases, most: number): string {
  return clean(text, most) || phrases.nameless;
}

/** What fired, its names at most `most` characters long. */
export function firedOf(alert: IncidentAlert, phrases: Phrases, most: number): Fired {
  const { sourceKind, sourceName, modeName } = alert;
  const mode = modeName === null ? null : named(modeName, phrases, most);
  const response = responseOf(alert, phrases, most);
  return {
    kind: sourceKind,
    source: named(sourceName, phrases, most),
    what: sourceKind === 'panic' ? response : mode,
  };
}

/** Name and postal address of the place, on one line; without the address where it is empty or may have no character. */
export function placeOf(alert: IncidentAlert, phrases: Phrases, most: { name: number; address: number }): string {
  const name = named(alert.locationName, phrases, most.name);
  const address = most.address === 0 ? '' : cleanLines(alert.locationAddress, most.address);
  return address === '' ? name : `${name}, ${address}`;
}
