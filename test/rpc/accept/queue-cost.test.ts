import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { rolledBack } from '../../../services/store/statement.ts';
import { PLACES, type WaitingAction } from '../../../services/store/statements/journal.ts';
import { parkCalls, readQueued } from '../../../services/store/statements/queue.ts';
import { startWorld } from '../../support/world.ts';

/*
 * What one account leaves waiting is looked at by the transactions that apply everybody's calls: they read as many rows of
 * the queue as they take, however many wait (services/docs/ENGINE.md).
 */

const PARKED = 100;

test.each([
  10, 5_000,
])('with %i calls of a source in the queue, to park and to read reads no more rows', async waiting => {
  const world = await startWorld({ tables: 'fresh' });
  const owner = await world.account();
  const id = await owner.panicButton();
  const [{ seq } = { seq: 0 }] = await world.rows<{ seq: number }>('SELECT seq::int FROM source WHERE id = $1', [id]);
  const calls = (from: number, count: number): WaitingAction[] =>
    Array.from({ length: count }, (_, nth) => aCall(seq, (from + nth) * PLACES));

  const read = await rolledBack(world.store.working, async client => {
    const rowsRead = async (act: () => Promise<unknown>) => {
      const count = async () => {
        const { rows } = await client.query<{ read: number }>(
          "SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname = 'queued_action'",
        );
        return rows[0]!.read;
      };
      const before = await count();
      await act();
      return (await count()) - before;
    };
    await parkCalls(client, calls(1, waiting));
    const parking = await rowsRead(() => parkCalls(client, calls(waiting + 1, PARKED)));
    const reading = await rowsRead(async () => {
      expect((await readQueued(client, [seq], 5)).map(one => Number(one.id) / PLACES)).toEqual([1, 2, 3, 4, 5]);
    });
    return { parking, reading };
  });
  expect(read.parking).toBeLessThanOrEqual(PARKED);
  expect(read.reading).toBeLessThanOrEqual(10);
});

function aCall(sourceSeq: number, id: number): WaitingAction {
  return {
    sourceSeq,
    id: String(id),
    verb: 'trigger',
    mode: null,
    environment: 'test',
    windowS: 0,
    onlyWhenArmed: false,
    traceId: randomUUID(),
    parentTraceId: null,
    keySeq: 1,
    incidentId: null,
    actor: null,
    via: null,
    contactId: null,
    acceptedAt: Date.now(),
    confirmedAt: null,
  };
}
