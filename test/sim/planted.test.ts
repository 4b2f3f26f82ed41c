import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BUGS } from './planted/bugs.ts';
import { plantedIn } from './planted.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test.each(BUGS.map(bug => [bug.name, bug] as const))('"%s" can still be planted', (_, bug) => {
  const text = readFileSync(ROOT + bug.file, 'utf8');
  expect(plantedIn(text, bug)).not.toBe(text);
});

test('a bug whose piece is gone, or is there twice, is refused by name', () => {
  const bug = { name: 'a bug', file: 'a.ts', was: 'one', is: 'two' };
  expect(plantedIn('one of three', bug)).toBe('two of three');
  expect(() => plantedIn('nothing', bug)).toThrow(
    '"a bug" cannot be planted any more: what it replaces is there 0 times.',
  );
  expect(() => plantedIn('one, one', bug)).toThrow('2 times');
});
