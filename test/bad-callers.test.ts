import { expect, test } from 'vitest';
import { createBadCallers } from '../services/process/bad-callers.ts';

/* DECISIONS.md "401": who tries keys is answered a second later, and nobody else. */

function rig() {
  let at = 0;
  const waits: { ms: number; end(): void }[] = [];
  const callers = createBadCallers('http', {
    now: () => at,
    wait: ms => new Promise<void>(end => waits.push({ ms, end })),
  });
  return {
    waits,
    advance(ms: number) {
      at += ms;
    },
    /** How many of so many bad calls at once have to wait. */
    slowed(times: number, address: string) {
      const before = waits.length;
      for (let nth = 0; nth < times; nth++) void callers.turnedAway(address);
      return waits.length - before;
    },
  };
}

test('an address may show a hundred bad keys at once, and ten a second from then on, without being slowed', () => {
  const { slowed, advance, waits } = rig();
  expect(slowed(100, 'one')).toBe(0);
  expect(slowed(50, 'one')).toBe(50);
  expect(waits[0]!.ms).toBe(1_000);
  advance(1_000);
  expect(slowed(50, 'one')).toBe(40);
});

test('one address never uses up what another may', () => {
  const { slowed } = rig();
  slowed(5_000, 'one');
  expect(slowed(100, 'another')).toBe(0);
});

test('however many try, no more than ten thousand answers wait at a time', () => {
  const { slowed } = rig();
  expect(slowed(20_000, 'one')).toBe(10_000);
  expect(slowed(1_000, 'one')).toBe(0);
});
