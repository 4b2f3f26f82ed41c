import { expect, test } from 'vitest';
import { GAP_ENDS_S, gapBelow, proposedSupervision } from '../../services/domain/rhythm.ts';

const DAY = 86_400_000;

/** Counts so many gaps of each length, in seconds. */
function gapsOf(...gaps: [lengthS: number, times: number][]): number[] {
  const counts = GAP_ENDS_S.map(() => 0);
  for (const [lengthS, times] of gaps) counts[GAP_ENDS_S.findIndex(end => lengthS <= end)]! += times;
  return counts;
}

const NOW = 30 * DAY;
const RHYTHM = { gapsSince: NOW - 2 * DAY, aliveAt: NOW - 60_000, socketAt: null } as const;

test.each<[string, number[], number]>([
  ['every 30 seconds', gapsOf([60, 2_000]), 300],
  ['every 5 minutes', gapsOf([300, 500]), 1_020],
  ['every 5 minutes, one in a hundred missing', gapsOf([300, 495], [600, 5]), 1_020],
  ['every 5 minutes, many missing', gapsOf([300, 450], [600, 50]), 1_920],
  ['every hour', gapsOf([3_600, 48]), 11_700],
  ['when somebody passes', gapsOf([60, 100], [7_200, 20]), 0],
  ['a few times', gapsOf([300, 5]), 0],
])('a key that calls %s', (_, gaps, proposed) => {
  expect(proposedSupervision({ ...RHYTHM, gaps }, NOW)).toBe(proposed);
});

test.each([
  ['a live socket', { socketAt: NOW - 1_000 }, 900],
  ['a socket that it no longer has', { socketAt: NOW - 2 * DAY }, 1_020],
  ['calls for less than a day', { gapsSince: NOW - DAY + 1 }, 0],
  ['a silence longer than what would be proposed', { aliveAt: NOW - DAY }, 0],
])('a key that calls every 5 minutes, with %s', (_, but, proposed) => {
  expect(proposedSupervision({ ...RHYTHM, gaps: gapsOf([300, 500]), ...but }, NOW)).toBe(proposed);
});

test('of gaps the length is told that a share of them stays below', () => {
  const gaps = gapsOf([60, 98], [640, 1], [86_400, 1]);
  expect([0.5, 0.98, 0.99, 1].map(share => gapBelow(gaps, share))).toEqual([60, 60, 640, 86_700]);
});
