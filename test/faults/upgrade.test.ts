import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { historyChecker } from '../support/history/checker.ts';
import { type Break, makeNeighbour, type Neighbour } from '../support/neighbour.ts';
import { BREAKS } from './upgrade/breaks.ts';
import { changesOfTheConsole, consoleReads, keysAndIncidents } from './upgrade/console-calls.ts';
import { crossed } from './upgrade/crossed.ts';
import { takeOver } from './upgrade/take-over.ts';
import { callsOfTheRpcPort, callsOfV1, commandLines, worksAlone } from './upgrade/understanding.ts';

/* This version beside a next one that is made up (support/neighbour.ts), on one database and one NATS. */
vi.setConfig({ testTimeout: 300_000 });

let next: Neighbour;
beforeAll(async () => {
  next = await makeNeighbour();
});
afterAll(() => next[Symbol.asyncDispose]());

const checker = historyChecker('upgraded under load');

test.each([
  { stays: 'next' as const, what: 'the next version takes over from this one' },
  { stays: 'this' as const, what: 'this version goes on where the next one is taken back' },
])('$what under load: nothing accepted is lost, every timer fires once, and no message goes out twice', async ({
  stays,
}) => {
  await takeOver(next, stays, checker);
});

test('parts of two versions understand each other: calls of /v1, of the RPC port, of the console and of the command line', async () => {
  const parts = await crossed(next);
  await callsOfV1(parts);
  await callsOfTheRpcPort(parts);
  await consoleReads(parts);
  await changesOfTheConsole(parts);
  await keysAndIncidents(parts);
  await commandLines(parts, next);
  expect(parts.rolling.said()).not.toContain('unexpected error');
});

describe('what a next version may not do is found', () => {
  /** Throws what was seen instead as it came, so that a slow machine gets its second try. */
  const broken = async (of: Break, found: RegExp, look: (neighbour: Neighbour) => Promise<void>) => {
    await using neighbour = await makeNeighbour(of);
    await worksAlone(neighbour);
    const fault = await look(neighbour).then(
      () => new Error('The break was not found.'),
      (fault: Error) => fault,
    );
    if (!found.test(fault.message)) throw fault;
  };

  test.each(BREAKS.ofTheSchema)('$name', async ({ found, ...of }) => {
    await broken(of, found, neighbour => takeOver(neighbour, 'this', checker));
  });

  test.each(BREAKS.ofTheWire)('$name', async ({ found, ...of }) => {
    await broken(of, found, neighbour => crossed(neighbour).then(callsOfV1));
  });
});
