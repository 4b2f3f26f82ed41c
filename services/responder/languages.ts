import type { PageWords } from './words.ts';
import { de } from './words-de.ts';
import { en } from './words-en.ts';

/** One entry for each language, by its language subtag. */
const LANGUAGES: ReadonlyMap<string, PageWords> = new Map([en, de].map(words => [words.language, words]));

/** The words for a locale (BCP 47): those of its language where there are any, else English. */
export function pageWordsFor(locale: string): PageWords {
  return LANGUAGES.get(locale.split('-', 1)[0]!.toLowerCase()) ?? en;
}
