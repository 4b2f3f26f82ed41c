import pg from 'pg';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { Verb } from '../../../services/domain/source.ts';
import { createAccept } from '../../../services/engine/accept/accept.ts';
import { createConfirmed } from '../../../services/engine/accept/confirmed.ts';
import { startClock } from '../../../services/engine/clock.ts';
import { meetServer } from '../../../services/engine/takeover.ts';
import { advanceClock, passTimeTogether, settableClock } from '../../support/database.ts';
import { eventually } from '../../support/wait.ts';
import { holdApplying } from '../../support/waiting.ts';
import { startWorld, type World, type WorldOptions } from '../../support/world.ts';
import { aCall, foundations, verdicts, waitingCalls } from './accept-rig.ts';

/* DECISIONS.md "The database went back": a server that takes over lacks calls that were confirmed. */

let processes = 0;

function aPool(world: World): pg.Pool {
  const pool = new pg.Pool({ connectionString: world.databaseUrl, max: 2, application_name: `process ${++processes}` });
  pool.on('error', () => {});
  onTestFinished(() => pool.end());
  return pool;
}

/** A process that accepts calls, with connections and a memory of its own. `lookOn`: of the clock that it keeps. */
function aProcess(world: World, lookOn = async (_: pg.ClientBase) => {}) {
  const pool = aPool(world);
  const log = pino({ level: 'silent' });
  const told: string[] = [];
  const confirmed = createConfirmed({
    pool,
    log,
    meet: client => meetServer(client, log, () => lookOn(client)),
    onStored: () => told.push('stored'),
    onNotice: () => told.push('notice'),
  });
  return { pool, told, accept: createAccept({ ...foundations(world), pool, onStored: confirmed.remember }) };
}

/** An owner with an alarm, another with theirs, and nothing that is accepted is applied. */
async function aHouse(options: WorldOptions = {}) {
  const world = await startWorld(options);
  const [owner, outsider] = [await world.account(), await world.account()];
  const sourceId = await owner.alarm();
  const key = await owner.keyWithId();
  const theirs = { sourceId: await outsider.alarm(), key: await outsider.key() };
  const letGo = await holdApplying(world.databaseUrl);
  return { world, owner, outsider, sourceId, key, theirs, letGo };
}

/** Calls, one after the other. */
async function call(process: ReturnType<typeof aProcess>, secret: string, sourceId: string, verbs: readonly Verb[]) {
  const traces: string[] = [];
  for (const verb of verbs) {
    const one = aCall(secret, { sourceId, verb });
    expect(verdicts([await process.accept(one)])).toEqual(['accepted']);
    traces.push(one.traceId);
  }
  return traces;
}

/** Takes from the database what was accepted after the first so many groups, and every connection, as a failover does. */
async function goBack(world: World, keep: number, pools: readonly pg.Pool[]): Promise<void> {
  await world.rows('DELETE FROM gate WHERE id IN (SELECT id FROM journal ORDER BY id OFFSET $1)', [keep]);
  await world.rows('DELETE FROM journal WHERE id IN (SELECT id FROM journal ORDER BY id OFFSET $1)', [keep]);
  for (const pool of pools) await cut(world, pool);
}

/** Ends all connections of a process. */
async function cut(world: World, pool: pg.Pool): Promise<void> {
  const { application_name: name } = pool.options;
  await world.rows('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [name]);
  await eventually(() => pool.totalCount === 0, { what: 'the process to hear of it' });
}

const waiting = async (world: World) => [...(await waitingCalls(world)).keys()];

const notices = (world: World) =>
  world.rows<{ account_id: string; about: { calls: number } }>(
    "SELECT account_id, about FROM notice WHERE kind = 'calls_stored_again'",
  );

test('what the database lost is stored again in its order before any new call, late, and its owners are told', async () => {
  const { world, owner, outsider, sourceId, key, theirs, letGo } = await aHouse();
  const process = aProcess(world);
  const kept = await call(process, key.secret, sourceId, ['arm']);
  const lost = await call(process, key.secret, sourceId, ['disarm', 'clear', 'arm', 'trigger']);
  const neighbours = await call(process, theirs.key, theirs.sourceId, ['trigger']);
  await goBack(world, 1, [process.pool]);
  expect(await waiting(world)).toEqual(kept);
  await advanceClock(world.store.pool, 20);
  const later = await call(process, key.secret, sourceId, ['clear']);
  expect(await waiting(world)).toEqual([...kept, ...lost, ...neighbours, ...later]);
  expect(process.told).toEqual(['stored', 'stored', 'stored', 'stored', 'stored', 'notice']);

  await letGo();
  await world.settle();
  const found = await world.rows<{ trace_id: string; late: boolean; key: boolean }>(
    'SELECT trace_id, confirmed_at < at AS late, key_id IS NOT NULL AS key FROM call_log ORDER BY id',
  );
  expect(found.map(({ trace_id: trace, late }) => [trace, late])).toEqual([
    [kept[0], null],
    ...[...lost, ...neighbours].map(trace => [trace, true]),
    [later[0], null],
  ]);
  expect(found.every(one => one.key)).toBe(true);
  expect((await owner.incidents()).map(({ status }) => status)).toEqual(['closed']);
  expect((await outsider.incidents()).map(({ status }) => status)).toEqual(['open']);
  const told = await notices(world);
  expect(new Map(told.map(({ account_id: account, about }) => [account, about.calls]))).toEqual(
    new Map([
      [owner.accountId, 4],
      [outsider.accountId, 1],
    ]),
  );
});

test('a server that takes over without the last looks at the clock: what is stored there has the time of now', async () => {
  // A database of its own: what tells the time there is another.
  const { world, sourceId, key, letGo } = await aHouse({ tables: 'fresh' });
  const { pool } = world.store;
  await settableClock(pool);
  let upMs = 0;
  const on = { log: pino({ level: 'silent' }), steady: { boot: 'a machine', uptimeMs: () => upMs } };
  const pass = (seconds: number) => passTimeTogether(pool, seconds, () => (upMs += seconds * 1_000));
  const looking = aPool(world);
  const clock = await startClock({ ...on, pool: looking });
  const process = aProcess(world, clock.lookOn);
  const marks = await world.rows('SELECT to_jsonb(c) AS mark FROM clock c');

  await pass(1);
  await clock.drain();
  await call(process, key.secret, sourceId, ['arm', 'trigger']);
  await clock.close();
  await pass(20);
  await world.rows('UPDATE takeover SET timeline = timeline - 1');
  await world.rows('DELETE FROM clock');
  await world.rows('INSERT INTO clock SELECT (jsonb_populate_record(NULL::clock, $1)).*', [marks[0]!.mark]);
  await goBack(world, 0, [process.pool]);
  await call(process, key.secret, sourceId, ['clear']);
  await letGo();
  await world.settle();
  const found = await world.rows(
    'SELECT extract(epoch FROM at - confirmed_at)::float8 AS late FROM call_log ORDER BY id',
  );
  expect(found).toEqual([{ late: 20 }, { late: 20 }, { late: null }]);
  expect(
    await world.rows('SELECT extract(epoch FROM at - known_until)::float8 AS gap FROM takeover WHERE at IS NOT NULL'),
  ).toEqual([{ gap: 21 }]);
});

test('who made it, and what is gone with it: nothing becomes another’s', async () => {
  const { world, owner, outsider, sourceId, key, theirs } = await aHouse();
  const made = await owner.alarm();
  const process = aProcess(world);
  await call(process, key.secret, sourceId, ['trigger']);
  await call(process, key.secret, made, ['trigger']);
  const [{ seq } = { seq: 0 }] = await world.rows<{ seq: number }>('SELECT seq::int FROM source WHERE id = $1', [made]);
  // Made in the time that is gone: the alarm, whose number another owner's has now, and the key.
  await goBack(world, 0, [process.pool]);
  for (const table of ['source', 'api_key']) {
    await world.rows(`ALTER TABLE ${table} ALTER COLUMN seq SET GENERATED BY DEFAULT`);
  }
  await world.rows('UPDATE source SET seq = seq + 1000 WHERE id = $1', [made]);
  await world.rows('UPDATE source SET seq = $1 WHERE id = $2', [seq, theirs.sourceId]);
  await world.rows('UPDATE api_key SET seq = seq + 1000 WHERE id = $1', [key.id]);
  const [beside] = await call(aProcess(world), theirs.key, theirs.sourceId, ['clear']);
  const later = await call(process, await owner.key(), sourceId, ['clear']);
  const rows = await world.rows<{ calls: [number, string, string, [string, number][]][] }>(
    'SELECT calls FROM journal ORDER BY id',
  );
  const all = rows.flatMap(({ calls }) =>
    calls.flatMap(([source, , , ofSource]) => ofSource.map(([trace, by]) => ({ source, trace, by }))),
  );
  expect(all.filter(({ source }) => source === seq).map(({ trace }) => trace)).toEqual([beside]);
  expect(all.filter(({ trace }) => !later.includes(trace) && trace !== beside).map(({ by }) => by)).toEqual([0]);
  expect(await world.rows('SELECT stored_again, not_stored FROM takeover WHERE at IS NOT NULL')).toEqual([
    { stored_again: 1, not_stored: 1 },
  ]);
  expect((await notices(world)).map(({ account_id: account }) => account)).toEqual([owner.accountId]);
  expect(await outsider.incidents()).toEqual([]);
});

test('two processes each store again what they confirmed, and no other does', async () => {
  const { world, sourceId, key } = await aHouse();
  const [one, other, third] = [aProcess(world), aProcess(world), aProcess(world)];
  const ofOne = await call(one, key.secret, sourceId, ['arm', 'trigger']);
  const ofOther = await call(other, key.secret, sourceId, ['clear']);
  await goBack(world, 0, [one.pool, other.pool, third.pool]);
  const ofThird = await call(third, key.secret, sourceId, ['clear']);
  const later = [
    ...(await call(other, key.secret, sourceId, ['clear'])),
    ...(await call(one, key.secret, sourceId, ['clear'])),
  ];
  expect(await waiting(world)).toEqual([...ofThird, ...ofOther, later[0], ...ofOne, later[1]]);
  // And again: what was stored again is as good as any other.
  await goBack(world, 2, [one.pool, other.pool]);
  const last = await call(one, key.secret, sourceId, ['clear']);
  expect(await waiting(world)).toEqual([...ofThird, ...ofOther, ...ofOne, later[1], ...last]);
});

test('nothing is missing: nothing is stored, wherever the calls are by now', async () => {
  const { world, sourceId, key, letGo } = await aHouse();
  const process = aProcess(world);
  const waits = await call(process, key.secret, sourceId, ['arm', 'trigger']);
  await cut(world, process.pool);
  const then = await call(process, key.secret, sourceId, ['clear']);
  expect(await waiting(world)).toEqual([...waits, ...then]);
  await letGo();
  await world.settle();
  await cut(world, process.pool);
  const last = await call(process, key.secret, sourceId, ['trigger']);
  await world.settle();
  const logged = await world.rows<{ trace_id: string }>('SELECT trace_id FROM call_log ORDER BY id');
  expect(logged.map(({ trace_id: trace }) => trace)).toEqual([...waits, ...then, ...last]);
  expect(await notices(world)).toEqual([]);
  expect(process.told).toEqual([]);
});
