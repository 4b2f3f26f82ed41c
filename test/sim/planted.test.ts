import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { replacedIn } from '../support/tree.ts';
import { BUGS } from './planted/bugs.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test.each(BUGS.map(bug => [bug.name, bug] as const))('"%s" can still be planted', (_, bug) => {
  const text = readFileSync(ROOT + bug.file, 'utf8');
  expect(replacedIn(text, bug)).not.toBe(text);
});

test('a bug whose piece is gone, or is there twice, is refused', () => {
  const bug = { file: 'a.ts', was: 'one', is: 'two' };
  expect(replacedIn('one of three', bug)).toBe('two of three');
  expect(() => replacedIn('nothing', bug)).toThrow('a.ts holds 0 times what is to be replaced: one');
  expect(() => replacedIn('one, one', bug)).toThrow('a.ts holds 2 times');
});
