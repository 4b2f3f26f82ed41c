import { expect, test } from 'vitest';
import { createConfirmedMemory } from '../../../services/engine/accept/confirmed-memory.ts';
import type { AskedUnit, JournaledCall } from '../../../services/store/statements/journal.ts';

function unit(sourceSeq: number, calls = 1): AskedUnit {
  const of = Array.from({ length: calls }, (_, n): JournaledCall => [`${sourceSeq}-${n}`, 1, 'clear', null, 0]);
  return {
    accountId: 'a',
    version: 'v',
    until: null,
    sourceId: `s${sourceSeq}`,
    sourceSeq,
    assumed: undefined,
    known: 0,
    leads: undefined,
    unit: [sourceSeq, 'live', 'always', of],
  };
}

test('the oldest are forgotten after two minutes, and where there are too many', () => {
  let now = 0;
  const memory = createConfirmedMemory(() => now);
  const remembered = () => memory.units().map(({ number, sourceSeq }) => [number, sourceSeq]);
  expect([memory.last(), remembered()]).toEqual([null, []]);
  memory.remember({ number: 1, at: 0, units: [unit(1), unit(2)] });
  now = 60_000;
  memory.remember({ number: 2, at: 0, units: [unit(3)] });
  now = 120_000;
  expect(remembered()).toEqual([
    [1, 1],
    [1, 2],
    [2, 3],
  ]);
  now = 120_001;
  expect(remembered()).toEqual([[2, 3]]);
  expect(memory.last()).toMatchObject({ number: 2, sourceSeq: 3, traceId: '3-0' });
  now = 180_001;
  expect([memory.last(), remembered()]).toEqual([null, []]);

  for (let number = 10; number < 120; number++) memory.remember({ number, at: 0, units: [unit(number, 1_000)] });
  expect(remembered().map(([number]) => number)).toEqual(Array.from({ length: 50 }, (_, n) => n + 70));
});

test('what was stored again is taken out', () => {
  const memory = createConfirmedMemory(() => 0);
  memory.remember({ number: 1, at: 0, units: [unit(1), unit(2)] });
  memory.remember({ number: 2, at: 0, units: [unit(1)] });
  memory.forget(memory.units().slice(1, 2));
  expect(memory.units().map(({ number, sourceSeq }) => [number, sourceSeq])).toEqual([
    [1, 1],
    [2, 1],
  ]);
});
