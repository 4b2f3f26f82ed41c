import { expect, test } from 'vitest';
import { backoff } from '../../facade/sdk/backoff.ts';

/** Failures in a row, and the shortest, the middle and the longest pause that may follow. */
test.each([
  [1, 500, 750, 1_000],
  [2, 1_000, 1_500, 2_000],
  [3, 2_000, 3_000, 4_000],
  [4, 4_000, 6_000, 8_000],
  [5, 8_000, 12_000, 16_000],
  [6, 16_000, 24_000, 32_000],
  [7, 30_000, 45_000, 60_000],
  [8, 30_000, 45_000, 60_000],
  [5_000, 30_000, 45_000, 60_000],
])('after %i failures the next try comes in %i to %i to %i ms', (failures, shortest, middle, longest) => {
  expect(backoff(failures, 0)).toBe(shortest);
  expect(backoff(failures, 0.5)).toBe(middle);
  expect(backoff(failures, 1 - Number.EPSILON)).toBe(longest);
});
