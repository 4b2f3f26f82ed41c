import { expect, test } from 'vitest';
import { createFreshness, UNPROVEN_MS } from '../../../facade/console/page/live/freshness.ts';

function aScreen() {
  let now = 1_000_000;
  const fresh = createFreshness(() => now);
  return { fresh, pass: (ms: number) => (now += ms), now: () => now };
}

test('the screen is true as long as something is heard', () => {
  const { fresh, pass, now } = aScreen();
  fresh.show({});
  for (let beat = 0; beat < 10; beat++) {
    pass(UNPROVEN_MS / 2);
    expect(fresh.heard()).toBe(false);
    expect(fresh.trueAt()).toBe(now());
  }
});

test('after a silence it is as old as it was until all of it is read again, or is gone from the screen', () => {
  const { fresh, pass, now } = aScreen();
  const [list, card, other] = [{}, {}, {}];
  fresh.show(list);
  fresh.show(card);
  const leave = fresh.show(other);
  const before = now();
  pass(UNPROVEN_MS + 1);
  expect(fresh.heard()).toBe(true);
  expect(fresh.trueAt()).toBe(before);
  fresh.wasRead(list);
  fresh.wasRead(card);
  expect(fresh.trueAt()).toBe(before);
  leave();
  expect(fresh.trueAt()).toBe(now());
});

test('the answer that ends a silence is true itself', () => {
  const { fresh, pass, now } = aScreen();
  const list = {};
  fresh.show(list);
  pass(UNPROVEN_MS + 1);
  expect(fresh.wasRead(list)).toBe(true);
  expect(fresh.trueAt()).toBe(now());
});

test('what could not be read is as old as what is shown of it, whatever else is heard', () => {
  const { fresh, pass, now } = aScreen();
  const [list, gone] = [{}, {}];
  fresh.show(list);
  const read = now();
  pass(UNPROVEN_MS / 2);
  fresh.wasNotRead(list, read);
  pass(UNPROVEN_MS / 2);
  fresh.heard();
  fresh.wasNotRead(list, now());
  fresh.wasNotRead(gone, 0);
  expect(fresh.trueAt()).toBe(read);
  fresh.wasRead(list);
  expect(fresh.trueAt()).toBe(now());
});
