import { test } from 'vitest';
import { liveLives } from './lives.ts';

test.each([
  { title: 'each step applied before the next', paces: ['settled'] as const },
  { title: 'several steps before the engine has looked', paces: ['settled', 'hurried', 'hurried'] as const },
])('every life ends as SPEC.md and DECISIONS.md say, $title', ({ paces }) => liveLives(paces, 5));

test('the clock of the database is set all the time, back and forward, and nothing of it is seen', () =>
  liveLives(['settled', 'hurried'], 4, 'set'));
