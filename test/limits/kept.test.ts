import { describe, expect, test } from 'vitest';
import { createKept } from '../../services/limits/kept.ts';
import { KEPT, KEPT_USES, type KeptUse } from '../../services/limits/table.ts';

const GB = 1_000_000_000;

/** What accounts may store, on a disk and a clock that the test moves. */
function rig({ times = 1 as number | 'off', free = 100 * GB } = {}) {
  let at = 0;
  const space = { free, floor: GB };
  const room = (use: KeptUse) => (space.free > KEPT[use].partOfFloor * space.floor ? 'some' : 'none');
  const kept = createKept({ disk: { room, space: () => space }, times, now: () => at });
  return {
    kept,
    space,
    pass: (seconds: number) => {
      at += seconds * 1_000;
    },
  };
}

describe.each(KEPT_USES)('an account and its %s', use => {
  const { burst, perSecond } = KEPT[use].rate;

  test('as much as the table says at once, then as fast as it grows back; nobody else notices', () => {
    const { kept, pass } = rig();
    expect(kept.take('one', use, burst)).toBe('taken');
    expect(kept.take('one', use)).toBe('too_much');
    expect(kept.take('other', use)).toBe('taken');
    pass(kept.growsBackS('one', use));
    expect(kept.take('one', use)).toBe('taken');
    pass(1_000_000_000);
    expect(kept.left('one', use)).toBe(burst);
    expect(perSecond).toBeGreaterThan(0);
  });

  test('a piece that is larger than what is left is taken whole, and paid back first', () => {
    const { kept, pass } = rig();
    kept.take('one', use, burst - 1);
    expect(kept.take('one', use, 100)).toBe('taken');
    expect(kept.left('one', use)).toBe(-99);
    pass(98 / perSecond);
    expect(kept.take('one', use)).toBe('too_much');
    pass(2 / perSecond);
    expect(kept.take('one', use)).toBe('taken');
  });

  test('ACCOUNT_LIMITS gives every account so many times as much, RATE_LIMITS=off any amount', () => {
    expect(rig({ times: 3 }).kept.left('one', use)).toBe(3 * burst);
    const { kept } = rig({ times: 'off' });
    for (let nth = 0; nth < 3; nth++) expect(kept.take('one', use, burst)).toBe('taken');
  });
});

test('as the disk fills, one thing after the other is given up, whoever asks, whatever is off; and taken again', () => {
  const { kept, space } = rig({ times: 'off' });
  const givenUp = (free: number) => {
    space.free = free;
    return KEPT_USES.filter(use => kept.take('one', use, 0) === 'disk_low');
  };
  expect(givenUp(1.01 * GB)).toEqual([]);
  expect(givenUp(0.9 * GB)).toEqual(['configuration']);
  expect(givenUp(0.7 * GB)).toEqual(['configuration', 'test']);
  expect(givenUp(0.5 * GB)).toEqual(['configuration', 'test', 'refusals']);
  expect(givenUp(0.2 * GB)).toEqual(['configuration', 'test', 'refusals', 'closing', 'other_calls', 'duty_notices']);
  // Messages of live triggers are planned to the end.
  expect(givenUp(1)).not.toContain('messages');
  expect(givenUp(2 * GB)).toEqual([]);
});
