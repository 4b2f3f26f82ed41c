import { en } from '../../services/words/en.ts';
import type { Words } from '../../services/words/types.ts';

/** What stands around every sentence of the made-up language. No name has it, and all carriers can send it. */
export const MARKS = ['zz', 'qq'] as const;

/**
 * A language as it would stand beside en.ts and de.ts, made of English: each of its sentences stands between marks, so
 * that a sentence from anywhere else shows. Names within a sentence are kept.
 */
export const madeUp: Words = { ...(marked(en) as Words), language: 'eo', regions: ['XX'] };

function marked(said: unknown): unknown {
  if (typeof said === 'string') return `${MARKS[0]} ${said} ${MARKS[1]}`;
  if (typeof said === 'function') return (...given: unknown[]) => marked(said(...given));
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return said;
  return Object.fromEntries(Object.entries(said).map(([name, each]) => [name, marked(each)]));
}
