import { expect, test } from 'vitest';
import { expectInTime } from '../../support/wait.ts';
import { alarms, startConfigured, told } from './configuration-rig.ts';

/* DECISIONS.md "RPC port": the files of one account, with a neighbour who must not notice. */

/** So many characters are read in a thread, and so many without one. */
const [DENSE, SMALL] = [32_700, 16_300];

/** A neighbour hardly notices a wait of so many milliseconds, or on a busy machine of as long as so many exports of its own take alone. */
const HARDLY_MS = 300;
const HARDLY_EXPORTS = 60;

test.each([
  ['brackets', '['.repeat(DENSE), 'takes lists and maps in each other at most 20 deep, got more.'],
  ['maps in maps', '{ a: '.repeat(DENSE / 5), 'takes lists and maps in each other at most 20 deep, got more.'],
  ['commas', `[${','.repeat(DENSE)}`, 'Unexpected , in flow sequence.'],
  ['anchors', '&a '.repeat(DENSE / 3), 'A node can have at most one anchor.'],
  ['a few commas', `[${','.repeat(SMALL)}`, 'Unexpected , in flow sequence.'],
  ['a few anchors', '&a '.repeat(SMALL / 3), 'A node can have at most one anchor.'],
])('while one account checks files of nothing but %s, the calls of another are answered', async (_, text, problem) => {
  const { account } = await startConfigured();
  const [home, neighbour] = [await account(), await account('Neighbour')];
  const exported = async () => {
    const began = performance.now();
    await neighbour.export();
    return performance.now() - began;
  };
  await exported();
  const alone: number[] = [];
  while (alone.length < 9) alone.push(await exported());
  const most = Math.max(HARDLY_MS, HARDLY_EXPORTS * alone.toSorted((one, other) => one - other)[4]!);
  const slowestBeside = async () => {
    let state: 'reading' | 'read' = 'reading';
    const checks = Promise.all(Array.from({ length: 4 }, () => home.check(`version: 1\nalarms: ${text}`)));
    void checks.finally(() => (state = 'read'));
    let slowestMs = 0;
    do slowestMs = Math.max(slowestMs, await exported());
    while (state === 'reading');
    for (const { problems } of await checks) expect(told(problems)[0]).toContain(problem);
    return slowestMs;
  };
  // The machine itself may stand still for a moment, but not five times.
  const slowest: number[] = [];
  while (slowest.length < 5 && slowest.every(ms => ms >= most)) slowest.push(await slowestBeside());
  expectInTime(Math.min(...slowest), most);
});

test('however many large files one account sends, that of another is read after the one that is next', async () => {
  const { account } = await startConfigured();
  const [home, neighbour] = [await account(), await account('Neighbour')];
  const read: string[] = [];
  const mistakes = 'a: b: c\n'.repeat(40_000);
  const checks = ['first', 'second', 'third', 'fourth'].map(nth => home.check(mistakes).then(() => read.push(nth)));
  await Promise.race(checks);
  const { problems } = await neighbour.check(alarms(200));
  expect(problems).toEqual([]);
  expect(read.length).toBeLessThanOrEqual(2);
  await Promise.all(checks);
});

test('files whose sender has gone take the places of one account, not those of others', async () => {
  const { account } = await startConfigured();
  const [home, neighbour] = [await account(), await account('Neighbour')];
  const mistakes = 'a: b: c\n'.repeat(40_000);
  for (let round = 0; round < 10; round += 1) {
    const gone = new AbortController();
    const asked = { headers: home.headers, signal: gone.signal };
    const checks = Array.from({ length: 4 }, () => home.client.check({ text: mistakes }, asked));
    const settled = Promise.allSettled(checks);
    // By then the four have come.
    for (let nth = 0; nth < 5; nth += 1) await neighbour.export();
    gone.abort();
    await settled;
  }
  expect((await neighbour.check(alarms(200))).problems).toEqual([]);
});
