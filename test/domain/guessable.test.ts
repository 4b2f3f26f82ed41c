import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { isGuessable } from '../../services/domain/guessable.ts';

test.each([
  ['one character', '0'.repeat(30)],
  ['two in turn', 'aB'.repeat(15)],
  ['a word over and over', 'HomeSweetHome5'.repeat(3).slice(0, 30)],
  ['ten characters three times', 'q7Xp2LmZ9v'.repeat(3)],
  ['the alphabet', 'abcdefghijklmnopqrstuvwxyzABCD'],
  ['the alphabet backwards', 'zyxwvutsrqponmlkjihgfedcbaDCBA'],
  ['rows of a keyboard', 'qwertyuiopasdfghjklzxcvbnm1470'],
  ['capitals and digits', 'Q7XP2LMZ9VKR4TWB6HJN3DFG8SCY5A'],
])('%s can be guessed', (_what, text) => {
  expect(text).toHaveLength(30);
  expect(isGuessable(text)).toBe(true);
});

/** Letters and digits as random as those of a key, and the same in every run. */
function asRandom(nth: number): string {
  const bytes = createHash('sha512').update(`${nth}`).digest();
  return bytes.toString('base64').replaceAll(/[+/=]/g, '').slice(0, 30);
}

test('random letters and digits cannot be guessed', () => {
  const texts = Array.from({ length: 100_000 }, (_, nth) => asRandom(nth));
  expect(texts.filter(isGuessable)).toEqual([]);
});
