import { de } from './de.ts';
import { en } from './en.ts';
import type { Words } from './types.ts';

/** All languages that people are told things in. A language is one file beside this one and one entry here. */
export const LANGUAGES: readonly Words[] = [en, de];
