import type { CallOptions } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { connection } from '../../support/connection.ts';
import { newOwner, refusal } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import { startWorld } from '../../support/world.ts';

/* DECISIONS.md "RPC port": what is read of all that an account has, with a neighbour who must not notice. */

const WHATS = ['export', 'readiness'] as const;

/** One account that reads all that it has, and a neighbour. */
async function twoAccounts(what: (typeof WHATS)[number]) {
  const world = await startWorld();
  const [greedy, neighbour] = [await newOwner(world, 'Greedy'), await newOwner(world, 'Neighbour')];
  const { configuration, readiness } = greedy.console;
  const read = (asked: CallOptions = {}) =>
    what === 'export' ? configuration.export({}, asked) : readiness.getReadiness({}, asked);
  /** Lets reads take as long as those of a large account: until the function given is called. */
  const hold = async () => {
    const holding = await connection(world.databaseUrl);
    await holding.query('BEGIN');
    await holding.query('LOCK TABLE source IN ACCESS EXCLUSIVE MODE');
    return () => holding.query('ROLLBACK');
  };
  return { world, greedy, neighbour, read, hold };
}

test.each(
  WHATS,
)('an account reads all that it has once at a time (%s), a few more wait, and others find connections to the database', async what => {
  const { greedy, neighbour, read, hold } = await twoAccounts(what);
  await read();
  const release = await hold();
  const refused: unknown[] = [];
  const asked = Array.from({ length: 40 }, () => read().catch(fault => refused.push(fault)));
  await eventually(() => refused.length === 19, { what: 'those beyond one and twenty to be refused' });
  expect((await neighbour.console.locations.listLocations({})).locations).toEqual([]);
  expect((await greedy.console.locations.listLocations({})).locations).toEqual([]);
  await release();
  await Promise.all(asked);
  expect(refused).toHaveLength(19);
  expect(await refusal(Promise.reject(refused[0]))).toMatchObject({ code: 'ResourceExhausted' });
  await read();
});

test.each(WHATS)('who hangs up and asks again (%s) has no second connection to the database', async what => {
  const { world, neighbour, read, hold } = await twoAccounts(what);
  const release = await hold();
  for (let nth = 0; nth < 20; nth++) {
    const gone = new AbortController();
    const settled = Promise.allSettled([read({ signal: gone.signal })]);
    // By then it has come.
    for (let call = 0; call < 3; call++) await neighbour.console.locations.listLocations({});
    gone.abort();
    await settled;
  }
  const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  // The engine's own work may wait there too.
  expect((await world.store.accepting.query(waiting)).rowCount).toBeLessThanOrEqual(3);
  await release();
  await read();
});
