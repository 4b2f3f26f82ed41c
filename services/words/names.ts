import { MODE_NAMES, MODES } from '../domain/mode.ts';
import type { Environment, ResponseKind, SourceKind } from '../domain/source.ts';
import { clean, cleanLines } from '../process/text.ts';
import type { Fired, Words } from './types.ts';

/** A source and its mode or kind of help, as their owner wrote them. */
export interface NamedSource {
  sourceKind: SourceKind;
  sourceName: string;
  /** Null: it is a panic button. */
  modeName: string | null;
  /** Null: it is an alarm. */
  responseKind: ResponseKind | null;
  responseText?: string;
  /** The labels of the keys that tripped it, the first one's first; absent: they are not told. */
  trippedBy?: readonly string[];
  /** Since when nothing was heard of the first of them, if that alone opened it; null or absent: a trigger did. */
  silentSince?: number | null;
}

/** Returns a name as its owner wrote it, safe to show, at most `most` characters; words in its place where nothing is left. */
export function named(text: string, words: Words, most: number): string {
  return clean(text, most) || words.nameless;
}

/** Returns the labels of what tripped it, safe to show, each once and at most `most` characters long. */
export function trippedOf({ trippedBy = [] }: Pick<NamedSource, 'trippedBy'>, most: number): string[] {
  return [...new Set(trippedBy.map(label => clean(label, most)))].filter(label => label !== '');
}

/** Returns what fired, its names at most `most` characters long, and what tripped it at most `mostBy`. */
export function firedOf(on: NamedSource, words: Words, most: number, mostBy = most): Fired {
  const mode = on.modeName === null ? null : modeOf(on.modeName, words, most);
  const [first] = trippedOf(on, mostBy);
  return {
    kind: on.sourceKind,
    source: named(on.sourceName, words, most),
    what: on.sourceKind === 'panic_button' ? responseOf(on, words, most) : mode,
    by: first === undefined ? null : (on.silentSince ?? null) === null ? first : words.silent(first),
  };
}

/** What a mode is called: as its owner says, and in the reader's language where it has the name that a new alarm gives it (DECISIONS.md "Name of a mode"). */
function modeOf(name: string, words: Words, most: number): string {
  const unnamed = MODES.find(id => MODE_NAMES[id] === name);
  return unnamed === undefined ? named(name, words, most) : words.modes[unnamed];
}

/** What a panic button asks for; null: it is none. */
function responseOf({ responseKind, responseText = '' }: NamedSource, words: Words, most: number): string | null {
  if (responseKind === null) return null;
  return (responseKind === 'other' && clean(responseText, most)) || words.responseKinds[responseKind];
}

/** Returns what stands above all else that is said of an incident. `mark`: with live or test in it. */
export function titleOf({ kind, source, what, by }: Fired, words: Words, mark: Environment | null = null): string {
  const marks = [mark === null ? null : words.marks[mark], kind === 'panic_button' ? what : null].filter(
    one => one !== null,
  );
  const head = marks.length === 0 ? words.heads[kind] : `${words.heads[kind]} (${marks.join(', ')})`;
  const named = kind === 'panic_button' || what === null ? source : `${source} - ${what}`;
  return by === null ? `${head}: ${named}` : `${head}: ${named} (${by})`;
}

/** Returns name and postal address of a place, on one line; without the address where it is empty or may have no character. */
export function placeOf(
  on: { locationName: string; locationAddress: string },
  words: Words,
  most: { name: number; address: number },
): string {
  const name = named(on.locationName, words, most.name);
  const address = most.address === 0 ? '' : cleanLines(on.locationAddress, most.address);
  return address === '' ? name : `${name}, ${address}`;
}
