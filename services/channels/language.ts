import type { Phrases } from './phrases.ts';
import { de } from './phrases-de.ts';
import { en } from './phrases-en.ts';

/** In which language a person is told something, and how times and voices of that language are named. */
export interface Language {
  phrases: Phrases;
  /** BCP 47, of the words: the person's own locale where it is of their language. Times are written in it. */
  locale: string;
  /** Language and region (BCP 47) of the voice that reads the words: one for which carriers have voices. */
  voice: string;
}

/** One entry for each language, by its language subtag. */
const LANGUAGES: ReadonlyMap<string, Phrases> = new Map([en, de].map(phrases => [phrases.language, phrases]));

/**
 * The language for a locale (BCP 47): the person's own where there are phrases of it, else English, voice included: French
 * said about English words is understood by nobody. A locale that is none counts as English.
 */
export function languageFor(locale: string): Language {
  const wanted = parsed(locale);
  const phrases = LANGUAGES.get(wanted?.language ?? '');
  if (wanted === null || phrases === undefined) return spoken(en, en.language, undefined);
  return spoken(phrases, wanted.baseName, wanted.region);
}

function spoken(phrases: Phrases, locale: string, region: string | undefined): Language {
  const known = phrases.regions.find(has => has === region) ?? phrases.regions[0];
  return { phrases, locale, voice: `${phrases.language}-${known}` };
}

function parsed(locale: string): Intl.Locale | null {
  try {
    return new Intl.Locale(locale);
  } catch {
    return null;
  }
}
