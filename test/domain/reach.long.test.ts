import { expect, test } from 'vitest';
import { everybody } from './reach-rig.ts';

test('all orders of five channels, whatever is wrong with each and whichever the step names: whoever has one working way is told', () => {
  const { people, told } = everybody(1);
  expect(people).toBeGreaterThan(300_000);
  expect(told).toBeGreaterThan(people / 4);
  // Nothing is waited for: it works as long as the machine takes.
}, 240_000);
