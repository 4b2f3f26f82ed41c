import { test } from 'vitest';
import { liveLives } from './lives.ts';

test.each([
  { title: 'each step applied before the next', paces: ['settled'] as const },
  { title: 'several steps before the engine has looked', paces: ['settled', 'hurried', 'hurried'] as const },
])('each of many lives ends as SPEC.md and DECISIONS.md say, $title', { timeout: 180_000 }, ({ paces }) =>
  liveLives(paces, 60),
);

test(
  'the clock of the database is set all the time, back and forward, and nothing of it is seen',
  { timeout: 180_000 },
  () => liveLives(['settled', 'hurried'], 20, 'set'),
);
