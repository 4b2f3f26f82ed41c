import { expect, test } from 'vitest';
import { createStrangers } from '../../services/limits/strangers.ts';

/* DECISIONS.md "401", "Strangers": who tries keys, or asks for very much, is answered a second later, and nobody else. */

function rig() {
  let at = 0;
  const waits: { ms: number; end(): void }[] = [];
  const callers = createStrangers('http', {
    now: () => at,
    wait: ms => new Promise<void>(end => waits.push({ ms, end })),
  });
  return {
    waits,
    callers,
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

test('who guesses and who reads pages share what an address may; pages wait, and beyond thirty there are none', async () => {
  const { slowed, callers, waits } = rig();
  slowed(60, 'one');
  const asked = Array.from({ length: 80 }, () => callers.enter('one'));
  expect(waits).toHaveLength(40);
  for (const { end } of waits) end();
  const came = await Promise.all(asked);
  expect(came.slice(0, 70)).toEqual(Array(70).fill('entered'));
  expect(came.slice(70)).toEqual(Array(10).fill('too_much'));
  expect(await callers.enter('another')).toBe('entered');
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
