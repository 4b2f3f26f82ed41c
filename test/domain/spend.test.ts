import { describe, expect, test } from 'vitest';
import { CHANNELS } from '../../services/domain/delivery.ts';
import {
  type CapChange,
  type CeilingFacts,
  type CeilingVerdict,
  capChange,
  ceilingVerdict,
  countedUnits,
  isCharged,
  priceCents,
  type SpendVerdict,
  spendVerdict,
} from '../../services/domain/spend.ts';

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

describe('what stops a text or call (DECISIONS.md "Spending ceiling")', () => {
  const alert = { channel: 'text', contactId: 'anna', sourceId: 'house' } as const;
  const facts: CeilingFacts = {
    alert,
    told: 'today',
    ceilingCents: 1000,
    buttonCapCents: 0,
    accountCents: 0,
    sourceCents: 0,
    underWay: [],
  };
  const call = { ...alert, channel: 'call' } as const;
  test.each<[string, Partial<CeilingFacts>, CeilingVerdict]>([
    ['nothing spent', {}, 'goes'],
    ['just enough left', { accountCents: 995, sourceCents: 0 }, 'goes'],
    ['a cent too little', { accountCents: 996 }, 'over_ceiling'],
    ['a call needs twice as much', { alert: call, accountCents: 991 }, 'over_ceiling'],
    ['just enough of a fifth', { accountCents: 195, sourceCents: 195 }, 'goes'],
    ['a cent too little of a fifth', { accountCents: 196, sourceCents: 196 }, 'over_source_share'],
    ['what is under way counts', { accountCents: 985, underWay: [{ ...call, sourceId: 'shop' }] }, 'goes'],
    ['and stops', { accountCents: 986, underWay: [{ ...call, sourceId: 'shop' }] }, 'over_ceiling'],
    ['of the source too', { sourceCents: 186, underWay: [{ ...call, contactId: 'ben' }] }, 'over_source_share'],
    ['of another source not', { sourceCents: 195, underWay: [{ ...call, sourceId: 'shop' }] }, 'goes'],
    ['the first of the day', { told: 'not_today', accountCents: 5000, sourceCents: 5000 }, 'goes'],
    [
      'the second, as the first is under way',
      { told: 'not_today', accountCents: 999, underWay: [alert] },
      'over_ceiling',
    ],
    ['the first call beside a text', { alert: call, told: 'not_today', accountCents: 999, underWay: [alert] }, 'goes'],
    ['a panic button over the cap', { buttonCapCents: 100, sourceCents: 100 }, 'over_source_share'],
    [
      'a panic button over the cap, without a ceiling',
      { ceilingCents: 0, buttonCapCents: 100, sourceCents: 100 },
      'over_source_share',
    ],
    ['the first of a panic button over the cap', { told: 'not_today', buttonCapCents: 100, sourceCents: 100 }, 'goes'],
    ['no ceiling', { ceilingCents: 0, accountCents: 1e6, sourceCents: 1e6 }, 'goes'],
  ])('%s', (_what, some, verdict) => {
    expect(ceilingVerdict({ ...facts, ...some })).toBe(verdict);
  });
});

test.each<[before: number, after: number, change: CapChange]>([
  [1000, 1000, 'same'],
  [0, 0, 'same'],
  [1000, 999, 'lowered'],
  [0, 1_000_000, 'lowered'],
  [1000, 1001, 'raised'],
  [1000, 0, 'raised'],
])('a cap of %i that becomes %i is %s (DECISIONS.md "Spending cap")', (before, after, change) => {
  expect(capChange(before, after)).toBe(change);
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
