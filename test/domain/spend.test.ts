import { describe, expect, test } from 'vitest';
import { CHANNELS } from '../../services/domain/delivery.ts';
import { countedUnits, isCharged, priceCents, type SpendVerdict, spendVerdict } from '../../services/domain/spend.ts';

describe('where a day stands against its cap (proto Account.daily_spend_cap_cents)', () => {
  test.each<[cents: number, capCents: number, verdict: SpendVerdict]>([
    [0, 1000, 'within_cap'],
    [799, 1000, 'within_cap'],
    [800, 1000, 'spend_warning'],
    [999, 1000, 'spend_warning'],
    [1000, 1000, 'spend_capped'],
    [5000, 1000, 'spend_capped'],
    [0, 1, 'within_cap'],
    [1, 1, 'spend_capped'],
    // 80 % of 7 cents are 5.6.
    [5, 7, 'within_cap'],
    [6, 7, 'spend_warning'],
    // No cap.
    [0, 0, 'within_cap'],
    [1_000_000, 0, 'within_cap'],
  ])('%i of %i cents: %s', (cents, capCents, verdict) => {
    expect(spendVerdict(cents, capCents)).toBe(verdict);
  });
});

test('texts cost by the part, calls by the call, and what is free is not counted', () => {
  expect(CHANNELS.filter(isCharged)).toEqual(['text', 'call']);
  expect(priceCents('text', 3)).toBe(15);
  expect(priceCents('call', 1)).toBe(10);
});

test.each([
  [1, 1],
  [7, 7],
  [2.9, 2],
  [0, 1],
  [-4, 1],
  [1e9, 30],
  [Number.NaN, 1],
  [Number.POSITIVE_INFINITY, 1],
])('a carrier that claims %d units is believed %i', (claimed, counted) => {
  expect(countedUnits(claimed)).toBe(counted);
});
