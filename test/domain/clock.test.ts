import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ClockMark, type ClockMemory, judgeClock, STEP_MS } from '../../services/domain/clock.ts';

const HOUR = 3_600_000;
const last: ClockMark = { wallAt: 1_000_000, aheadMs: 0, boot: 'here', uptimeMs: 50_000 };
const reading = { boot: 'here', tookMs: 2 };

test.for([
  ['a second later', 1_000, 1_000, 'steady', 0],
  ['a little slow', 990, 1_000, 'steady', 0],
  ['after ten minutes in which nobody looked', 600_000, 600_000, 'steady', 0],
  ['after ten minutes in which it lost a second', 599_000, 600_000, 'steady', 0],
  ['set back by an hour', 1_000 - HOUR, 1_000, 'stepped', HOUR],
  ['set back by 20 s', -19_000, 1_000, 'stepped', 20_000],
  ['set back by a second', -500, 500, 'put_right', 1_000],
  ['set forward by 20 s', 21_000, 1_000, 'stepped', -20_000],
  [
    'set forward by 30 days while nobody looked for a minute',
    30 * 24 * HOUR + 60_000,
    60_000,
    'stepped',
    -30 * 24 * HOUR,
  ],
] as const)('a clock %s', ([, movedMs, passedMs, found, aheadMs]) => {
  const verdict = judgeClock(last, null, {
    ...reading,
    wallAt: last.wallAt + movedMs,
    uptimeMs: last.uptimeMs + passedMs,
  });
  expect(verdict).toMatchObject({ found, aheadMs });
});

test('a look that came first finds the time as the database has it', () => {
  expect(judgeClock(null, null, { ...reading, wallAt: 7, uptimeMs: 7 })).toEqual({ found: 'first', aheadMs: 0 });
});

test('on another machine a process goes by what it saw itself', () => {
  const memory: ClockMemory = { at: last.wallAt, uptimeMs: 9_000 };
  const other = { boot: 'there', tookMs: 2, wallAt: last.wallAt + 4_000 - HOUR, uptimeMs: 13_000 };
  expect(judgeClock(last, memory, other)).toEqual({ found: 'stepped', byMs: -HOUR, aheadMs: HOUR });
});

test('where nobody counted, time that passed is believed, and a clock that went back stood still', () => {
  const later = { boot: 'there', tookMs: 2, wallAt: last.wallAt + 5 * HOUR, uptimeMs: 3 };
  expect(judgeClock(last, null, later)).toEqual({ found: 'steady', aheadMs: 0 });
  const earlier = { ...later, wallAt: last.wallAt - HOUR };
  expect(judgeClock(last, null, earlier)).toEqual({ found: 'stepped', byMs: -HOUR, aheadMs: HOUR });
});

test('a count of the same name that began anew is no count', () => {
  const anew = { ...reading, wallAt: last.wallAt + 60_000, uptimeMs: 5 };
  expect(judgeClock(last, null, anew)).toEqual({ found: 'steady', aheadMs: 0 });
});

/**
 * What the database says of the deployment's time, as its function does (store/schema/clock.ts): believed up to
 * STEP_MS after a look, else the time of the look.
 */
function databaseTime(mark: ClockMark, wallAt: number): number {
  const isBelieved = wallAt >= mark.wallAt && wallAt <= mark.wallAt + STEP_MS;
  return (isBelieved ? wallAt : mark.wallAt) + mark.aheadMs;
}

test('whatever is done to the clock, the time of the deployment is never early, never late by more than 2 s, and looks never go back', () => {
  const event = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ does: fc.constant('look' as const), afterMs: fc.integer({ min: 1, max: 1_500 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constant('set' as const),
        byMs: fc.oneof(
          fc.constantFrom(-HOUR, -20_000, 20_000, HOUR, -720 * HOUR, 720 * HOUR),
          fc.integer({ min: -5_000, max: 5_000 }),
        ),
        afterMs: fc.integer({ min: 0, max: 900 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ does: fc.constant('stop' as const), afterMs: fc.integer({ min: 1, max: 10 * HOUR }) }),
    },
  );
  fc.assert(
    fc.property(fc.array(event, { minLength: 5, maxLength: 60 }), events => {
      let trueMs = 0;
      let setMs = 0;
      /** Below a step a clock may be believed: how far that has led the time away. */
      let believedMs = 0;
      let mark: ClockMark = { wallAt: 0, aheadMs: 0, boot: 'here', uptimeMs: 0 };
      let memory: ClockMemory | null = { at: 0, uptimeMs: 0 };
      let lookedAt = 0;
      for (const { does, afterMs, ...set } of events) {
        trueMs += afterMs;
        if (does === 'set') {
          setMs += (set as { byMs: number }).byMs;
          const early = databaseTime(mark, trueMs + setMs) - trueMs - believedMs;
          expect(early).toBeLessThanOrEqual(STEP_MS);
          continue;
        }
        if (does === 'stop') memory = null;
        const before = mark.wallAt + mark.aheadMs;
        const reading = { wallAt: trueMs + setMs, boot: 'here', uptimeMs: trueMs, tookMs: 0 };
        const { aheadMs } = judgeClock(mark, memory, reading);
        mark = { ...reading, aheadMs };
        memory = { at: mark.wallAt + aheadMs, uptimeMs: trueMs };
        expect(memory.at).toBeGreaterThanOrEqual(before);
        const off = memory.at - before - (trueMs - lookedAt);
        expect(Math.abs(off)).toBeLessThan(STEP_MS);
        believedMs += off;
        lookedAt = trueMs;
      }
    }),
    { numRuns: 2_000 },
  );
});
