import { expect, test } from 'vitest';
import { createRateLimits, type LimitedCall } from '../../services/limits/rate-limits.ts';
import { RATES } from '../../services/limits/table.ts';

/* DECISIONS.md "Could not commit, deadline, overload": good keys only, a share for each source, panic triggers never. */

const ALARM = { kind: 'alarm', id: 'a' } as const;
const ANOTHER = { kind: 'alarm', id: 'another' } as const;

/** Limits that know these keys, by a clock that is moved. */
function rig(...goodKeys: string[]) {
  let at = 0;
  const limits = createRateLimits(RATES.key, { now: () => at });
  for (const of of goodKeys) for (const source of [ALARM, ANOTHER]) limits.learn({ of, source }, 'accepted');
  return {
    limits,
    wait(ms: number) {
      at += ms;
    },
    /** How many of so many calls at once are taken. */
    taken(times: number, call: Partial<LimitedCall> = {}) {
      const asked = Array.from({ length: times }, () =>
        limits.take({ of: 'mine', callClass: 'action', source: null, ...call }),
      );
      return asked.filter(answer => answer === 'taken').length;
    },
  };
}

test.each([
  ['action', 400, 200],
  ['read', 100, 50],
] as const)('%s: %i at once, then %i a second', (callClass, burst, perSecond) => {
  const { taken, wait } = rig('mine');
  expect(taken(1_000, { callClass })).toBe(burst);
  wait(1_000);
  expect(taken(1_000, { callClass })).toBe(perSecond);
  wait(60_000);
  expect(taken(1_000, { callClass })).toBe(burst);
});

test('reads and actions do not use up each other, nor does one key what another may do', () => {
  const { taken } = rig('mine', 'theirs');
  taken(1_000);
  expect(taken(10, { callClass: 'read' })).toBe(10);
  expect(taken(400, { of: 'theirs' })).toBe(400);
});

test('the triggers of a source have a share that nothing else uses up: not actions, not another source with the same key', () => {
  const { taken, wait } = rig('mine');
  const trigger = { callClass: 'trigger', source: ALARM } as const;
  taken(1_000);
  taken(1_000, { callClass: 'trigger', source: ANOTHER });
  expect(taken(1_000, trigger)).toBe(20);
  wait(1_000);
  taken(1_000);
  expect(taken(1_000, trigger)).toBe(10);
});

test('beyond the share of its source a trigger takes from what its key may do', () => {
  const { taken } = rig('mine');
  expect(taken(1_000, { callClass: 'trigger', source: ALARM })).toBe(420);
  expect(taken(1)).toBe(0);
});

test('ids that are made up have no shares: a key that tries thousands of them is stopped', () => {
  const { taken } = rig('mine');
  taken(1_000);
  const tried = Array.from({ length: 5_000 }, (_, nth) =>
    taken(1, { callClass: 'trigger', source: { kind: 'alarm', id: `made up ${nth}` } }),
  );
  expect(tried.filter(one => one === 1)).toHaveLength(100);
  expect(taken(20, { callClass: 'trigger', source: ALARM })).toBe(20);
});

test('what shows many incidents or calls counts as ten reads, and takes none where not all of them are left', () => {
  const { taken } = rig('mine');
  expect(taken(9, { callClass: 'read', reads: 10 })).toBe(9);
  expect(taken(5, { callClass: 'read' })).toBe(5);
  expect(taken(1, { callClass: 'read', reads: 10 })).toBe(0);
  expect(taken(10, { callClass: 'read' })).toBe(5);
});

test('a panic trigger is never limited, clearing it is', () => {
  const { taken } = rig('mine');
  const source = { kind: 'panic_button', id: 'p' } as const;
  taken(1_000);
  expect(taken(1_000, { callClass: 'trigger', source })).toBe(1_000);
  expect(taken(1, { source })).toBe(0);
});

test('a key that is not known to be good is let through, to be refused: at first, and once it was found bad', () => {
  const { limits, taken } = rig('mine');
  expect(taken(1_000, { of: 'guessed' })).toBe(1_000);
  expect(taken(1_000, { of: null })).toBe(1_000);
  taken(1_000);
  limits.learn({ of: 'mine', source: null }, 'bad');
  expect(taken(1_000)).toBe(1_000);
});

test('however many keys there are, what was not used for longest is forgotten first', () => {
  const { limits, taken } = rig('mine');
  taken(1_000);
  for (let nth = 0; nth < 20_000; nth++) limits.learn({ of: `key ${nth}`, source: null }, 'good');
  expect(taken(1)).toBe(1);
});
