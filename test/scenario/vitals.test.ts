import pg from 'pg';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createHeldSince, startVitals } from '../../services/engine/watch/vitals.ts';
import { countUnapplied } from '../../services/store/statements/unapplied.ts';
import { connection } from '../support/connection.ts';
import { advanceClock } from '../support/database.ts';
import { figureOf } from '../support/figures.ts';
import type { Owner } from '../support/owner.ts';
import { eventually } from '../support/wait.ts';
import { holdApplying } from '../support/waiting.ts';
import { startWorld, type World } from '../support/world.ts';

/** A figure of GET /metrics, looked at anew. */
async function figure(world: World, name: string): Promise<number> {
  await world.services.measure();
  return figureOf(world.url, name);
}

async function readyz(world: World): Promise<number> {
  return (await fetch(`${world.url}/readyz`)).status;
}

/** What is remembered of the readiness is a second old at most. */
function becomesReady(world: World, status: 200 | 503) {
  return eventually(async () => (await readyz(world)) === status, { what: `readyz to be ${status}` });
}

/** Puts the clock of the tests to where that of Postgres is, and so many seconds further: snapshots go by the latter. */
async function passRealTime(world: World, seconds: number): Promise<void> {
  const [row] = await world.rows<{ s: number }>(
    'SELECT extract(epoch FROM clock_timestamp() - tocsin_now())::float8 AS s',
  );
  await advanceClock(world.store.pool, row!.s + seconds);
}

async function anAlarm(owner: Owner) {
  return { id: await owner.alarm(), key: await owner.key() };
}

test('calls that nobody applies show in the metrics and in readyz; calls are still accepted, and applied as soon as that goes on', async () => {
  const world = await startWorld();
  const { id, key } = await anAlarm(await world.account());
  expect(await figure(world, 'tocsin_oldest_unapplied_seconds')).toBe(0);

  const goOn = await holdApplying(world.databaseUrl);
  expect((await world.get(`/v1/alarm/${id}/trigger`, key)).status).toBe(202);
  await advanceClock(world.store.pool, 29);
  expect(await figure(world, 'tocsin_oldest_unapplied_seconds')).toBe(29);
  expect((await world.get(`/v1/alarm/${id}/trigger`, key)).status).toBe(202);
  expect(await readyz(world)).toBe(200);
  await advanceClock(world.store.pool, 2);
  expect(await figure(world, 'tocsin_oldest_unapplied_seconds')).toBe(31);
  await becomesReady(world, 503);
  expect((await fetch(`${world.url}/livez`)).status).toBe(200);
  const last = await world.get(`/v1/alarm/${id}/trigger`, key);
  expect(last.status).toBe(202);

  await goOn();
  await world.settle();
  await becomesReady(world, 200);
  expect(await figure(world, 'tocsin_oldest_unapplied_seconds')).toBe(0);
});

test('an action of a person that nobody applies is late as well', async () => {
  const world = await startWorld();
  const owner = await world.account();
  await anAlarm(owner);
  const goOn = await holdApplying(world.databaseUrl);
  await enqueue(world, owner, 1);
  await advanceClock(world.store.pool, 31);
  await becomesReady(world, 503);
  await goOn();
  await world.settle();
  await becomesReady(world, 200);
});

test('what waits for its retry, and what waits behind much else of its own account, is not late; what others wait for is', async () => {
  const world = await startWorld();
  const [owner, beside] = [await world.account(), await world.account()];
  await anAlarm(owner);
  await anAlarm(beside);
  const goOn = await holdApplying(world.databaseUrl);
  await enqueue(world, owner, 100);
  await enqueue(world, beside, 1);
  await world.rows(
    `UPDATE queued_action SET failing_since = accepted_at, due_at = due_at + interval '10 minutes', tries = 1
     WHERE account_id = $1`,
    [beside.accountId],
  );
  await advanceClock(world.store.pool, 300);
  // Nobody asked before: it is remembered from nowhere.
  expect(await readyz(world)).toBe(200);
  expect(await figure(world, 'tocsin_oldest_unapplied_seconds')).toBe(300);

  await world.rows('UPDATE queued_action SET failing_since = NULL, due_at = accepted_at WHERE account_id = $1', [
    beside.accountId,
  ]);
  await becomesReady(world, 503);
  await goOn();
  await world.settle();
  await becomesReady(world, 200);
});

test('a snapshot that is held shows in the metrics with its age, whoever holds it, and what it keeps from being cleaned up', async () => {
  const world = await startWorld();
  const { id, key } = await anAlarm(await world.account());
  const holder = await connection(world.databaseUrl);
  await passRealTime(world, 0);
  await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await holder.query('SELECT 1');
  // How long Postgres has known of it is told by Postgres's own clock.
  await world.rows(
    "CREATE OR REPLACE FUNCTION tocsin_wall() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT clock_timestamp() + interval '90 s' $$",
  );
  const held = await figure(world, 'tocsin_oldest_snapshot_seconds');
  expect(held).toBeGreaterThan(60);
  expect(held).toBeLessThan(91);

  for (let turn = 0; turn < 20; turn++) {
    expect((await world.get(`/v1/alarm/${id}/trigger`, key)).status).toBe(202);
    await world.settle();
  }
  // Postgres counts when a connection has time for it.
  await eventually(async () => (await figure(world, 'tocsin_dead_rows{table="journal"}')) >= 10, {
    what: 'dead rows of the journal to be counted',
  });
  await holder.query('COMMIT');
  await eventually(async () => (await figure(world, 'tocsin_oldest_snapshot_seconds')) === 0, {
    what: 'no snapshot to be held',
  });
});

test('a database that shows nobody else to its user takes away that figure alone, and stops nothing', async () => {
  const world = await startWorld();
  const { id, key } = await anAlarm(await world.account());
  const role = `blind_${id.slice(0, 20)}`;
  await world.rows(`CREATE ROLE ${role}`);
  await world.rows(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
  await world.rows('REVOKE SELECT ON pg_replication_slots FROM PUBLIC');
  const pool = new pg.Pool({ connectionString: world.databaseUrl, max: 1, options: `-c role=${role}` });
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  const vitals = startVitals({ pool, accepting: pool, working: pool, log });
  onTestFinished(async () => {
    await vitals.close();
    await pool.end();
    await world.rows(`DROP OWNED BY ${role}`);
    await world.rows(`DROP ROLE ${role}`);
  });

  const goOn = await holdApplying(world.databaseUrl);
  await world.get(`/v1/alarm/${id}/trigger`, key);
  await advanceClock(world.store.pool, 12);
  // The world looks as well, and may see everything.
  const text = await eventually(
    async () => {
      await vitals.measure();
      const figures = await (await fetch(`${world.url}/metrics`)).text();
      return figures.includes('tocsin_oldest_snapshot_seconds Nan\n') && figures;
    },
    { what: 'the figure to be taken away' },
  );
  expect(text).toContain('tocsin_oldest_unapplied_seconds 12\n');
  expect(vitals.oldestSnapshot()).toBeNull();
  expect(logged).toEqual([]);
  await goOn();
});

test('a replication slot, for which Postgres gives no time, counts as held since it was first seen, until what it holds moves on', () => {
  const heldSince = createHeldSince();
  const slot = (name: string, xmin: string, now: number) =>
    ({ kind: 'replication_slot', name, heldS: null, xmin, now }) as const;
  const held = (...found: ReturnType<typeof slot>[]) => heldSince(found).map(({ name, heldS }) => `${name} ${heldS}`);
  expect(held(slot('a', '700', 0), slot('b', '700', 0))).toEqual(['a 0', 'b 0']);
  expect(held(slot('a', '700', 10_000), slot('b', '701', 10_000))).toEqual(['a 10', 'b 0']);
  expect(held(slot('a', '700', 95_000))).toEqual(['a 95']);
  // Gone and come back.
  expect(held(slot('b', '701', 96_000), slot('a', '702', 96_000))).toEqual(['b 0', 'a 0']);
});

test('what one account has waiting is counted so far only, so that it keeps no other figure from being read', async () => {
  const world = await startWorld();
  const owner = await world.account();
  await owner.alarm();
  const letGo = await holdApplying(world.databaseUrl);
  await enqueue(world, owner, 12_000);
  expect(await countUnapplied(world.store.pool)).toBe(10_000);
  await letGo();
});

/** Puts what one person does into the queue of the account's one alarm. */
async function enqueue(world: World, { accountId }: Owner, count: number): Promise<void> {
  await world.rows(
    `INSERT INTO queued_action (account_id, source_seq, id, due_at, verb, environment, trace_id, actor, accepted_at)
     SELECT s.account_id, s.seq, nextval('journal_number') * 1024, tocsin_now(), 'acknowledge', 'live', gen_random_uuid(),
       'Anna', tocsin_now()
     FROM source s CROSS JOIN generate_series(1, $2::int) WHERE s.account_id = $1`,
    [accountId, count],
  );
}
