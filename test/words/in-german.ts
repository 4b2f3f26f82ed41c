import { expect } from 'vitest';

/** Words that no German sentence has; what is quoted, commands, and names of fields may be English. */
const ENGLISH = /\b(the|this|that|is|are|were|of|by|and|or|with|takes|got|nobody|your|you|it|its|to|at most)\b/i;

/** Shows that what is said in English and in German is said in two languages. `same`: there is no word in it. */
export function inGerman(english: string, german: string, same: 'differs' | 'may_be_same' = 'differs'): void {
  if (english === '') {
    expect(german).toBe('');
    return;
  }
  const plain = german.replaceAll(
    /tocsin [a-z-]+( [a-z-]+)?[^.]*\.?|"[^"]*"|„[^“]*“|\{[^}]*\}|"authorization.*?"/g,
    '',
  );
  expect(german).not.toBe('');
  expect(plain, german).not.toMatch(ENGLISH);
  if (same === 'differs') expect(german).not.toBe(english);
}
