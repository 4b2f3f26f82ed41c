import { de } from './de.ts';
import { en } from './en.ts';
import type { Words } from './types.ts';

/**
 * All languages that people are told things in. A language is a file beside this one (for people alerted), one of `owner/` (for
 * those who own an account) and one entry here.
 */
export const LANGUAGES: readonly Words[] = [en, de];
