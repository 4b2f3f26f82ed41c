import { randomUUID } from 'node:crypto';
import { Code, ConnectError } from '@connectrpc/connect';
import type { PoolClient } from 'pg';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startSentence } from '../../services/process/start-errors.ts';
import { unavailable } from '../../services/rpc/boundary.ts';
import { run } from '../../services/store/statement.ts';
import { openStore } from '../../services/store/store.ts';
import { advanceClock } from '../support/database.ts';
import { eventually } from '../support/wait.ts';
import { type OldAccount, oldAccount } from './upgrade/old-account.ts';
import { OLD } from './upgrade/old-statements.ts';
import { applyLocked, askedBy, type Locked, type OldVersion, startOldVersion } from './upgrade/old-version.ts';
import { type OldDatabase, patientPool, startNewVersion, versionBefore } from './upgrade/rig.ts';

/*
 * The step to the journal while processes of the version before still run: whatever they accept before it is applied, and
 * after it they accept nothing and apply nothing.
 */
vi.setConfig({ testTimeout: 120_000 });

const before = versionBefore();

async function aHouse(options: Parameters<OldAccount['alarm']>[1] = {}) {
  const database = await before.database();
  const [owner, other] = [await oldAccount(database, 'Owner'), await oldAccount(database, 'Other')];
  const [alarmId, elsewhere] = [await owner.alarm('House', options), await other.alarm('Elsewhere', options)];
  return { database, owner, other, alarmId, elsewhere, old: startOldVersion(database.url) };
}

/** What the callers of the version before are told of a fault: its rules for that are those of this version. */
function answerTo(fault: unknown): Code {
  try {
    return unavailable(fault);
  } catch (told) {
    return ConnectError.from(told).code;
  }
}

/** What a promise was rejected with. */
async function faultOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (fault: unknown) => fault,
  );
}

/** Resolves when the migration has to wait for others. */
function migrationWaits({ rows }: OldDatabase) {
  const sql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'DO%LOCK TABLE%' AND state = 'active'
    AND clock_timestamp() - query_start > interval '400 ms'`;
  return eventually(async () => (await rows(sql)).length > 0, { what: 'the migration to wait', within: 30_000 });
}

/** Each call with its outcomes: more than one where it was applied more than once. */
async function outcomesOf({ rows }: Pick<OldDatabase, 'rows'>, traceIds: readonly string[]) {
  const found = await rows<{ trace_id: string; outcomes: string }>(
    "SELECT trace_id, string_agg(outcome, ' and ') AS outcomes FROM call_log WHERE trace_id = ANY ($1::uuid[]) AND applied_at IS NOT NULL GROUP BY trace_id",
    [traceIds],
  );
  return new Map(found.map(({ trace_id, outcomes }) => [trace_id, outcomes]));
}

test('while it runs under load: all that it accepted is applied once, and then it accepts nothing and says 503', async () => {
  const { database, owner, other, alarmId, elsewhere, old } = await aHouse();
  let state: 'on' | 'off' = 'on';
  const accepted: string[] = [];
  const faults: unknown[] = [];
  let acceptedAfterFault = 0;
  const callers = [owner, other, owner, other].map(async ({ key }, nth) => {
    const sourceId = nth % 2 === 0 ? alarmId : elsewhere;
    let refused: 'not yet' | 'once' = 'not yet';
    for (let turn = nth; state === 'on'; turn++) {
      const verb = (['arm', 'trigger', 'clear', 'disarm'] as const)[turn % 4]!;
      const calls = Array.from({ length: 5 }, () => ({ digest: key.digest, sourceId, verb, traceId: randomUUID() }));
      try {
        expect(new Set(await old.accept(...calls))).toEqual(new Set(['accepted']));
        accepted.push(...calls.map(({ traceId }) => traceId));
        if (refused === 'once') acceptedAfterFault++;
      } catch (fault) {
        refused = 'once';
        faults.push(fault);
      }
    }
  });
  const engine = (async () => {
    while (state === 'on') await old.apply().catch(fault => faults.push(fault));
  })();
  await eventually(() => accepted.length > 500, { what: 'calls to be accepted' });

  const { world } = await startNewVersion(database);
  const from = faults.length;
  await eventually(() => faults.length > from + 50, { what: 'the version before to be refused' });
  state = 'off';
  await Promise.all([...callers, engine]);
  await world.settle();
  expect(acceptedAfterFault).toBe(0);
  expect(new Set(faults.map(answerTo))).toEqual(new Set([Code.Unavailable]));
  const outcomes = await outcomesOf(database, accepted);
  expect(accepted.filter(traceId => !outcomes.has(traceId))).toEqual([]);
  expect([...outcomes.values()].filter(words => words.includes(' and '))).toEqual([]);
  expect((await world.get(`/v1/alarm/${alarmId}/arm`, owner.key.secret)).status).toBe(202);
});

test('a call that is being stored at that very moment: the migration waits for it, and it is applied', async () => {
  const { database, owner, alarmId, old } = await aHouse();
  const call = { digest: owner.key.digest, sourceId: alarmId, verb: 'trigger' as const };
  const [stored, undone] = [randomUUID(), randomUUID()];
  const storing = await begun(old);
  await run(storing, OLD.accept, askedBy([{ ...call, traceId: stored }]));
  const undoing = await begun(old);
  await run(undoing, OLD.accept, askedBy([{ ...call, traceId: undone }]));
  const starting = startNewVersion(database);
  await migrationWaits(database);
  await undoing.query('ROLLBACK');
  await storing.query('COMMIT');
  const { world } = await starting;
  await world.settle();
  expect(await outcomesOf(database, [stored, undone])).toEqual(new Map([[stored, 'opened']]));
});

test('a transaction that holds what the migration needs, and needs what the migration holds, ends as it would have', async () => {
  const { database, owner, alarmId, old } = await aHouse({ test: true });
  const traceId = randomUUID();
  const changing = await begun(old);
  await changing.query('UPDATE source SET test = false WHERE id = $1', [alarmId]);
  const starting = startNewVersion(database);
  await migrationWaits(database);
  const own = { account_id: owner.id, source_id: alarmId, verb: 'go_live', actor: 'Anna', trace_id: traceId };
  await run(changing, OLD.enqueueOwn, [JSON.stringify([own])]);
  await changing.query('COMMIT');
  const { world } = await starting;
  await world.settle();
  expect(await outcomesOf(database, [traceId])).toEqual(new Map([[traceId, 'went_live']]));
});

test('an engine that has begun to apply is waited for: what it applies is not applied again, what it left is', async () => {
  const { database, owner, other, alarmId, elsewhere, old } = await aHouse();
  const [first, second] = [randomUUID(), randomUUID()];
  await old.accept({ digest: owner.key.digest, sourceId: alarmId, verb: 'trigger', traceId: first });
  const applying = await begun(old);
  const locked = await run<Locked>(applying, OLD.lockDue, [1_000]);
  await old.accept({ digest: other.key.digest, sourceId: elsewhere, verb: 'trigger', traceId: second });
  const starting = startNewVersion(database);
  await migrationWaits(database);
  await applyLocked(applying, locked);
  await applying.query('COMMIT');
  const { world } = await starting;
  await world.settle();
  expect(await outcomesOf(database, [first, second])).toEqual(
    new Map([
      [first, 'opened'],
      [second, 'opened'],
    ]),
  );
  expect(await database.rows('SELECT FROM incident')).toHaveLength(2);
});

test('an engine that has locked a source and no more yet ends as it would have: the migration changes that row too', async () => {
  const { database, owner, alarmId, old } = await aHouse({ windowS: 60 });
  const [first, second] = [randomUUID(), randomUUID()];
  const trigger = { digest: owner.key.digest, sourceId: alarmId, verb: 'trigger' as const };
  await old.accept({ ...trigger, traceId: first });
  await old.applyAll();
  await old.accept({ ...trigger, traceId: second });
  const settling = await begun(old);
  const locked = await run<Locked>(settling, OLD.lockOne, [owner.id, alarmId]);
  const starting = startNewVersion(database);
  await migrationWaits(database);
  await applyLocked(settling, locked);
  await settling.query('COMMIT');
  const { world } = await starting;
  await world.advance(60);
  expect(await outcomesOf(database, [first, second])).toEqual(
    new Map([
      [first, 'opened'],
      [second, 'folded'],
    ]),
  );
});

test('after it: no timer, no refusal, no action of a person goes through a process of the version before', async () => {
  const { database, owner, alarmId, old } = await aHouse({ windowS: 30 });
  const traceId = randomUUID();
  await old.accept({ digest: owner.key.digest, sourceId: alarmId, verb: 'trigger', traceId });
  await old.applyAll();
  const store = await openStore(database.url, pino({ level: 'silent' }));
  onTestFinished(store.close);
  await advanceClock(store.pool, 31);

  const refused = {
    account_id: owner.id,
    key_id: owner.key.id,
    source_id: alarmId,
    verb: 'trigger',
    outcome: 'held_by_gate',
  };
  const own = {
    account_id: owner.id,
    source_id: alarmId,
    verb: 'close',
    actor: 'Anna',
    incident_id: 'a'.repeat(32),
  } as const;
  const settling = async () => {
    const client = await begun(old);
    const locked = await run<Locked>(client, OLD.lockOne, [owner.id, alarmId]);
    await applyLocked(client, locked);
  };
  const attempts = [
    () => old.apply(),
    settling,
    () => old.accept({ digest: owner.key.digest, sourceId: alarmId, verb: 'disarm' }),
    // Refused ones too: the version before does not see which mode waiting calls lead to.
    () => old.accept({ digest: owner.key.digest, sourceId: 'a'.repeat(32), verb: 'arm' }),
    () => old.refuse(refused),
    () => old.own(own),
    // What it looks for a call by.
    () => old.pool.query('SELECT * FROM action WHERE account_id = $1 AND trace_id = $2', [owner.id, traceId]),
  ];
  for (const attempt of attempts) expect(answerTo(await faultOf(attempt()))).toBe(Code.Unavailable);
  expect(await outcomesOf(database, [traceId])).toEqual(new Map([[traceId, 'pending']]));
  expect(
    await database.rows('SELECT FROM incident UNION ALL SELECT FROM journal UNION ALL SELECT FROM queued_action'),
  ).toEqual([]);
});

test('a process of the version before that hangs in a transaction is waited for until its session ends', async () => {
  const { database, owner, alarmId } = await aHouse();
  const hanging = startOldVersion(database.url, { idleS: 2 });
  const traceId = randomUUID();
  const stuck = await begun(hanging);
  await run(stuck, OLD.accept, askedBy([{ digest: owner.key.digest, sourceId: alarmId, verb: 'trigger', traceId }]));
  const { world } = await startNewVersion(database);
  await world.settle();
  expect(await outcomesOf(database, [traceId])).toEqual(new Map());
  expect((await world.get(`/v1/alarm/${alarmId}/arm`, owner.key.secret)).status).toBe(202);
});

test('a session that never ends: the start gives up and says why, the version before goes on, and the next start succeeds', async () => {
  const { database, owner, alarmId, old } = await aHouse();
  const backup = await patientPool(database.url).connect();
  onTestFinished(() => backup.end());
  await backup.query('BEGIN; SELECT count(*) FROM call_log');
  const fault = await faultOf(openStore(database.url, pino({ level: 'silent' })));
  expect(startSentence(fault, { ports: {}, databaseUrl: database.url })).toContain(
    'is in use by other sessions: stop the version before and whatever else is connected to it',
  );
  const traceId = randomUUID();
  await old.accept({ digest: owner.key.digest, sourceId: alarmId, verb: 'trigger', traceId });
  await backup.query('COMMIT');
  const { world } = await startNewVersion(database);
  await world.settle();
  expect(await outcomesOf(database, [traceId])).toEqual(new Map([[traceId, 'opened']]));
});

/** An open transaction of the version before. */
async function begun({ pool }: OldVersion): Promise<PoolClient> {
  const client = await pool.connect();
  onTestFinished(() => client.release(true));
  await client.query('BEGIN');
  return client;
}
