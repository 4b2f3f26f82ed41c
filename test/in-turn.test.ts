import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { createInTurn } from '../services/limits/in-turn.ts';

test('parties take turns, one at a time, each in its own order; one that fails ends nothing but itself', async () => {
  const inTurn = createInTurn();
  const told: string[] = [];
  let running = 0;
  const ask = (name: string, fails = false) =>
    inTurn(name[0]!, async () => {
      expect(running++).toBe(0);
      await Promise.resolve();
      running--;
      told.push(name);
      if (fails) throw new Error(name);
      return name;
    });
  const asked = [ask('a1'), ask('a2'), ask('a3', true), ask('b1'), ask('a4'), ask('c1'), ask('b2')];
  const ended = await Promise.allSettled(asked);
  expect(told).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  expect(ended.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([2]);
  // It goes on after it was idle.
  expect(await ask('a5')).toBe('a5');
});

test('one that throws before it gives a promise keeps nobody waiting', async () => {
  const inTurn = createInTurn();
  const wrong = inTurn('a', () => {
    throw new Error('wrong');
  });
  const right = inTurn('b', async () => 'right');
  await expect(wrong).rejects.toThrow('wrong');
  expect(await right).toBe('right');
});

test('each runs in the context of who asked', async () => {
  const inTurn = createInTurn();
  const asker = new AsyncLocalStorage<string>();
  const asked = ['anna', 'ben', 'cleo'].map(name => asker.run(name, () => inTurn(name, async () => asker.getStore())));
  expect(await Promise.all(asked)).toEqual(['anna', 'ben', 'cleo']);
});
