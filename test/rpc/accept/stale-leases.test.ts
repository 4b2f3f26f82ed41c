import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { type Leased, startSendWorker } from '../../../services/engine/send/send-worker.ts';
import { eventually } from '../../support/wait.ts';

/*
 * DECISIONS.md "One clock": nothing goes out twice. Where all processes stood still, the database gives the time of the last look
 * at its clock, and a lease that is taken by it is over as soon as somebody looks again.
 */

type Where = 'nowhere' | 'finding' | 'leasing';

/** A worker with one message to send, whose process can stand still wherever it asks the database for something. */
function aWorker() {
  const state = { upMs: 0, lookedAtMs: 0, standsStill: 'nowhere' as Where, looksNext: 'late', finds: 0, leases: 0 };
  const sent: string[] = [];
  let waits: 'due' | 'done' = 'due';
  const lookAtClock = () => {
    state.lookedAtMs = state.upMs;
  };
  const standStill = (where: Where) => {
    if (state.standsStill !== where) return;
    state.standsStill = 'nowhere';
    state.upMs += 60_000;
    if (state.looksNext === 'at once') lookAtClock();
  };
  const lastLook = () => {
    const { lookedAtMs } = state;
    return { staleMs: () => state.upMs - lookedAtMs };
  };
  const worker = startSendWorker<Leased>(
    {
      name: 'test',
      places: () => 1,
      clock: { believed: () => undefined, lastLook },
      async findDue() {
        state.finds++;
        standStill('finding');
        const queues = waits === 'due' ? [{ accountId: 'a', first: 1, all: 1, since: null }] : [];
        return { queues, inMs: null, since: 0 };
      },
      async lease() {
        state.leases++;
        standStill('leasing');
        return [{ accountId: 'a', id: `message, lease ${state.leases}`, way: 'first' }];
      },
      nthOf: () => ({ nth: 1, kind: 'alert', sinceS: 0 }),
      async attempt({ id }) {
        sent.push(id);
        return { kind: 'sent', providerRef: id };
      },
      async record() {
        waits = 'done';
      },
    },
    pino({ level: 'silent' }),
  );
  onTestFinished(() => worker.close());
  return { state, sent, worker, lookAtClock };
}

test('while nobody knows the time, nothing is leased; once somebody has looked, it is sent', async () => {
  const { state, sent, worker, lookAtClock } = aWorker();
  state.upMs = 60_000;
  worker.nudge();
  await worker.drain();
  expect(state).toMatchObject({ finds: 0, leases: 0 });
  lookAtClock();
  worker.nudge();
  await eventually(() => sent.length > 0, { what: 'the message' });
  expect(sent).toEqual(['message, lease 1']);
});

test.each([
  ['finding', 'late'],
  ['leasing', 'late'],
  ['leasing', 'at once'],
] as const)('a process that stands still for a minute while it is %s, and looks at the clock %s, sends nothing by that lease', async (where, looksNext) => {
  const { state, sent, worker, lookAtClock } = aWorker();
  Object.assign(state, { standsStill: where, looksNext });
  worker.nudge();
  await eventually(() => state.leases > 0, { what: 'the lease' });
  lookAtClock();
  worker.nudge();
  await eventually(() => sent.length > 0, { what: 'the message' });
  expect(sent).toEqual(['message, lease 2']);
});
