import { en } from './en.ts';
import { LANGUAGES } from './languages.ts';
import type { Words } from './types.ts';

/** In which language a person is told something, and how times and voices of that language are named. */
export interface Language {
  words: Words;
  /** BCP 47, of the words: the person's own locale where it is of their language. Times are written in it. */
  locale: string;
  /** Language and region (BCP 47) of the voice that reads the words: one for which carriers have voices. */
  voice: string;
}

/**
 * Returns the language for a locale (BCP 47): the person's own where there are words of it, else English, voice included: French
 * said about English words is understood by nobody. A locale that is none counts as English.
 */
export function languageFor(locale: string): Language {
  const wanted = parsed(locale);
  const words = LANGUAGES.find(({ language }) => language === wanted?.language);
  if (wanted === null || words === undefined) return inRegion(en, en.language, undefined);
  return inRegion(words, wanted.baseName, wanted.region);
}

function inRegion(words: Words, locale: string, region: string | undefined): Language {
  const known = words.regions.find(has => has === region) ?? words.regions[0];
  return { words, locale, voice: `${words.language}-${known}` };
}

function parsed(locale: string): Intl.Locale | null {
  try {
    return new Intl.Locale(locale);
  } catch {
    return null;
  }
}
