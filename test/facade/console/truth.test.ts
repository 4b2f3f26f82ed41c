import { expect, test } from 'vitest';
import { createTruth, UNPROVEN_MS } from '../../../facade/console/page/live/truth.ts';

function aTruth() {
  let now = 1_000_000;
  const truth = createTruth(() => now);
  return { truth, pass: (ms: number) => (now += ms), now: () => now };
}

test('the screen is true as long as something is heard', () => {
  const { truth, pass, now } = aTruth();
  truth.show({});
  for (let beat = 0; beat < 10; beat++) {
    pass(UNPROVEN_MS / 2);
    expect(truth.heard()).toBe(false);
    expect(truth.trueAt()).toBe(now());
  }
});

test('after a silence it is as old as it was until all of it is read again, or is gone from the screen', () => {
  const { truth, pass, now } = aTruth();
  const [list, card, other] = [{}, {}, {}];
  truth.show(list);
  truth.show(card);
  const leave = truth.show(other);
  const before = now();
  pass(UNPROVEN_MS + 1);
  expect(truth.heard()).toBe(true);
  expect(truth.trueAt()).toBe(before);
  truth.wasRead(list);
  truth.wasRead(card);
  expect(truth.trueAt()).toBe(before);
  leave();
  expect(truth.trueAt()).toBe(now());
});

test('the answer that ends a silence is true itself', () => {
  const { truth, pass, now } = aTruth();
  const list = {};
  truth.show(list);
  pass(UNPROVEN_MS + 1);
  expect(truth.wasRead(list)).toBe(true);
  expect(truth.trueAt()).toBe(now());
});

test('what could not be read is as old as what is shown of it, whatever else is heard', () => {
  const { truth, pass, now } = aTruth();
  const [list, gone] = [{}, {}];
  truth.show(list);
  const read = now();
  pass(UNPROVEN_MS / 2);
  truth.wasNotRead(list, read);
  pass(UNPROVEN_MS / 2);
  truth.heard();
  truth.wasNotRead(list, now());
  truth.wasNotRead(gone, 0);
  expect(truth.trueAt()).toBe(read);
  truth.wasRead(list);
  expect(truth.trueAt()).toBe(now());
});
