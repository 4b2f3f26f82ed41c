import { expect, test } from 'vitest';
import { backoffMs, jittered } from '../services/process/backoff.ts';

test('each failure doubles the wait, up to the longest', () => {
  const waits = [1, 2, 3, 6, 7, 5_000].map(failures => backoffMs(failures, { firstMs: 500, mostMs: 30_000 }));
  expect(waits).toEqual([500, 1_000, 2_000, 16_000, 30_000, 30_000]);
});

test('chance takes at most half of a wait', () => {
  expect([0, 0.5, 1].map(random => jittered(4_000, random))).toEqual([2_000, 3_000, 4_000]);
});
