import { expect, test } from 'vitest';
import { LOCKS } from '../../services/store/lock.ts';
import { connection } from '../support/connection.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "Ready": it is judged by what the accept path commits. */

const readyz = async (world: World) => (await fetch(`${world.url}/readyz`)).status;

/** Waits for as long as a full disk may go untold. */
const becomes = (world: World, status: 200 | 503) =>
  eventually(async () => (await readyz(world)) === status, { what: `/readyz to be ${status}`, within: 5_000 });

/** The journal cannot grow: what Postgres says where the disk is full, of the rows that `when` is true of. */
async function fillDisk(world: World, when = 'true'): Promise<() => Promise<unknown>> {
  await world.rows(`CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not extend file "base/1/2": No space left on device' USING ERRCODE = 'disk_full'; END $$`);
  await world.rows(
    `CREATE TRIGGER disk_is_full BEFORE INSERT ON journal FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION disk_is_full()`,
  );
  return () => world.rows('DROP TRIGGER disk_is_full ON journal');
}

async function anAlarm(world: World) {
  const owner = await world.account();
  const [path, key] = [`/v1/alarm/${await owner.alarm()}/arm`, await owner.key()];
  return { owner, call: async () => (await world.get(path, key)).status };
}

test('a full disk is not ready within 5 s, also where nobody calls, and ready again once there is room', async () => {
  const world = await startWorld({ tables: 'fresh' });
  expect(await readyz(world)).toBe(200);
  const makeRoom = await fillDisk(world);
  await becomes(world, 503);
  await makeRoom();
  await becomes(world, 200);
});

test('a full disk is not ready while it refuses calls, even where a smaller row would find room', async () => {
  const world = await startWorld({ tables: 'fresh' });
  const { call } = await anAlarm(world);
  expect([await call(), await readyz(world)]).toEqual([202, 200]);
  const makeRoom = await fillDisk(world, 'NEW.id > 0');
  expect(await call()).toBe(503);
  await becomes(world, 503);
  await makeRoom();
  expect(await call()).toBe(202);
  await becomes(world, 200);
});

test('a turn to accept that somebody holds is not ready', async () => {
  const world = await startWorld();
  const other = await connection(world.databaseUrl);
  await other.query('BEGIN');
  await other.query('SELECT pg_advisory_xact_lock($1)', [LOCKS.accept]);
  await becomes(world, 503);
  await other.query('ROLLBACK');
  await becomes(world, 200);
});

test('what keeps the calls of one account from being stored leaves the deployment ready', async () => {
  const world = await startWorld({ tables: 'fresh' });
  const [{ owner, call }, neighbour] = [await anAlarm(world), await anAlarm(world)];
  expect([await call(), await neighbour.call()]).toEqual([202, 202]);
  await world.rows(`CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$`);
  await world.rows(`CREATE TRIGGER fails BEFORE INSERT ON journal FOR EACH ROW WHEN (NEW.calls::text LIKE
    '%' || '[' || ${(await world.rows<{ seq: string }>('SELECT seq::text FROM source WHERE account_id = $1', [owner.accountId]))[0]!.seq} || ',%') EXECUTE FUNCTION fails()`);
  expect(await call()).toBe(503);
  for (let nth = 0; nth < 3; nth++) expect([await readyz(world), await neighbour.call()]).toEqual([200, 202]);
});

test('however often it is asked, little is written: nothing after a call, and one row in 2.5 s where nobody calls', async () => {
  const world = await startWorld({ tables: 'fresh' });
  const { call } = await anAlarm(world);
  await world.rows('CREATE SEQUENCE rows_written');
  await world.rows(`CREATE FUNCTION count_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM nextval('rows_written'); RETURN NEW; END $$`);
  await world.rows('CREATE TRIGGER count_row BEFORE INSERT ON journal FOR EACH ROW EXECUTE FUNCTION count_row()');
  expect(await call()).toBe(202);
  const began = performance.now();
  for (let nth = 0; nth < 200; nth++) expect(await readyz(world)).toBe(200);
  const most = 1 + Math.floor((performance.now() - began) / 2_500);
  const [row] = await world.rows<{ written: number }>('SELECT last_value::int AS written FROM rows_written');
  expect(row!.written).toBeLessThanOrEqual(most);
  await world.settle();
  expect(await world.rows('SELECT FROM journal WHERE id < 0')).toEqual([]);
});
