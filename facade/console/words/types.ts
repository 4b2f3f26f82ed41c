import type { words } from './en.ts';

/** All that the console says: every language says all of it. */
export type Words = typeof words;
