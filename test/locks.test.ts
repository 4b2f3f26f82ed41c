import { expect, test } from 'vitest';
import { LOCKS } from '../services/store/lock.ts';

test('no two kinds of work wait for each other by sharing the number of a lock', () => {
  expect(new Set(Object.values(LOCKS)).size).toBe(Object.keys(LOCKS).length);
});
