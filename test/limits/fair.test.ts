import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createFair, createHeldTurns, createInTurn, type NoPlace } from '../../services/limits/fair.ts';

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

/** Enters one after the other, and tells who has a place, who waits and who was refused. */
function rig(fair: ReturnType<typeof createFair>) {
  const given: { party: string; place: Disposable }[] = [];
  const refused: [string, NoPlace][] = [];
  return {
    fair,
    refused,
    inside: () => given.map(({ party }) => party),
    async come(...parties: string[]) {
      for (const party of parties) {
        void fair.enter(party).then(place => {
          if (typeof place === 'string') refused.push([party, place]);
          else given.push({ party, place });
        });
      }
      await setImmediate();
    },
    async leave(party: string) {
      const at = given.findIndex(one => one.party === party);
      given.splice(at, 1)[0]!.place[Symbol.dispose]();
      await setImmediate();
    },
  };
}

test('places are given to whoever has waited longest, and to no party more than it may have', async () => {
  const { come, leave, inside, fair } = rig(createFair({ places: 3, mayTake: held => held < 2 }));
  await come('a', 'a', 'a', 'b', 'b', 'c');
  expect(inside()).toEqual(['a', 'a', 'b']);
  await leave('b');
  // The third of a has waited for longer, and may not.
  expect(inside()).toEqual(['a', 'a', 'b']);
  await leave('a');
  expect(inside()).toEqual(['a', 'b', 'a']);
  for (const party of ['a', 'a', 'b', 'c']) await leave(party);
  expect(fair.isIdle()).toBe(true);
});

test('so many of a party wait, the next one is told; those of others are not counted', async () => {
  const { come, inside, refused } = rig(createFair({ places: 1, waiting: 2 }));
  await come('a', 'a', 'a', 'a', 'b', 'b', 'b');
  expect(inside()).toEqual(['a']);
  expect(refused).toEqual([
    ['a', 'too_many'],
    ['b', 'too_many'],
  ]);
});

test('who waits for too long is told, and its place in the queue goes with it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { come, leave, inside, refused, fair } = rig(createFair({ places: 1, patienceMs: 1_000 }));
  await come('a', 'b');
  await vi.advanceTimersByTimeAsync(900);
  await come('c');
  await vi.advanceTimersByTimeAsync(200);
  expect(refused).toEqual([['b', 'too_late']]);
  await leave('a');
  expect(inside()).toEqual(['c']);
  await leave('c');
  expect(fair.isIdle()).toBe(true);
});

test('of each party so many work at once, whoever else works; one that fails gives its place back', async () => {
  const inTurn = createHeldTurns(1);
  const under: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) =>
    inTurn(name[0]!, () => {
      under.push(name);
      return new Promise<void>((_, reject) => ends.set(name, () => reject(new Error(name))));
    });
  const all = [work('a1'), work('a2'), work('b1')];
  await setImmediate();
  expect(under).toEqual(['a1', 'b1']);
  ends.get('a1')!();
  await expect(all[0]).rejects.toThrow('a1');
  await setImmediate();
  expect(under).toEqual(['a1', 'b1', 'a2']);
  for (const name of ['a2', 'b1']) ends.get(name)!();
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
});
