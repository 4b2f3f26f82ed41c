import { expect, test } from 'vitest';
import { createRateLimits, type LimitedCall } from '../facade/rate-limits.ts';

const ALARM = { kind: 'alarm', id: 'a' } as const;

/** Limits that know these keys, by a clock that is moved. */
function rig(...goodKeys: string[]) {
  let at = 0;
  const limits = createRateLimits(() => at);
  for (const key of goodKeys) limits.learn(key, 'good');
  return {
    limits,
    wait(ms: number) {
      at += ms;
    },
    /** How many of so many calls at once are taken. */
    taken(times: number, call: Partial<LimitedCall> = {}) {
      const asked = Array.from({ length: times }, () =>
        limits.take({ apiKey: 'mine', callClass: 'action', source: null, ...call }),
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
  expect(taken(400, { apiKey: 'theirs' })).toBe(400);
});

test('the triggers of a source have a share that nothing else uses up: not actions, not another source with the same key', () => {
  const { taken, wait } = rig('mine');
  const trigger = { callClass: 'trigger', source: ALARM } as const;
  taken(1_000);
  taken(1_000, { callClass: 'trigger', source: { kind: 'alarm', id: 'another' } });
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

test('a panic trigger is never limited, clearing it is', () => {
  const { taken } = rig('mine');
  const source = { kind: 'panic', id: 'p' } as const;
  taken(1_000);
  expect(taken(1_000, { callClass: 'trigger', source })).toBe(1_000);
  expect(taken(1, { source })).toBe(0);
});

test('a key that is not known to be good is let through, to be refused: at first, and once it was found bad', () => {
  const { limits, taken } = rig('mine');
  expect(taken(1_000, { apiKey: 'guessed' })).toBe(1_000);
  expect(taken(1_000, { apiKey: ['mine', 'mine'] })).toBe(1_000);
  expect(taken(1_000, { apiKey: undefined })).toBe(1_000);
  taken(1_000);
  limits.learn('mine', 'bad');
  expect(taken(1_000)).toBe(1_000);
});

test('however many keys there are, the first that were met are forgotten first', () => {
  const { limits, taken } = rig('mine');
  taken(1_000);
  for (let nth = 0; nth < 10_000; nth++) limits.learn(`key ${nth}`, 'good');
  expect(taken(1)).toBe(1);
});
