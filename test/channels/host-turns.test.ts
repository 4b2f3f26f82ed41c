import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createHostTurns } from '../../services/channels/host-turns.ts';

/** Turns at hosts that take four requests at once, with requests that end when a test says so. */
function rig({ turnS = 60 } = {}) {
  const turns = createHostTurns(4, turnS);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (accountId: string, host = 'host') =>
    turns.at(host, accountId, () => {
      begun.push(accountId);
      return new Promise<string>(resolve => ends.push(() => resolve('answered')));
    });
  return {
    begun,
    ask,
    async endFirst() {
      ends.shift()!();
      await setImmediate();
    },
  };
}

test('an account has as many requests at a host as it leaves to others', async () => {
  const { begun, ask } = rig();
  for (const account of ['A', 'A', 'A', 'B', 'B', 'C']) void ask(account);
  await setImmediate();
  expect(begun).toEqual(['A', 'A', 'B', 'C']);
});

test('hosts have nothing to do with each other', async () => {
  const { begun, ask } = rig();
  for (const host of ['one', 'two']) for (let nth = 0; nth < 3; nth++) void ask(host, host);
  await setImmediate();
  expect(begun).toEqual(['one', 'one', 'two', 'two']);
});

test('whoever waits goes as soon as it may, those who came first before others', async () => {
  const { begun, ask, endFirst } = rig();
  const asked = ['A', 'A', 'A', 'A', 'B', 'C', 'D', 'E'].map(account => ask(account));
  await setImmediate();
  expect(begun).toEqual(['A', 'A', 'B', 'C']);
  // One of A's ends: it still holds as many as are free then, while D holds none.
  await endFirst();
  expect(begun).toEqual(['A', 'A', 'B', 'C', 'D']);
  for (let nth = 0; nth < 7; nth++) await endFirst();
  expect(begun.toSorted()).toEqual(['A', 'A', 'A', 'A', 'B', 'C', 'D', 'E']);
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['answered']));
});

test('a request whose turn does not come is told so, and holds up nobody afterwards', async () => {
  const { begun, ask, endFirst } = rig({ turnS: 0.05 });
  const [first, second, third] = [ask('A'), ask('A'), ask('A')];
  expect(await third).toBe('busy');
  await endFirst();
  await endFirst();
  expect([await first, await second]).toEqual(['answered', 'answered']);
  void ask('A');
  await setImmediate();
  expect(begun).toEqual(['A', 'A', 'A']);
});

test('a request that fails gives its place back', async () => {
  const turns = createHostTurns(1, 60);
  await expect(turns.at('host', 'A', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await turns.at('host', 'B', async () => 'answered')).toBe('answered');
});
