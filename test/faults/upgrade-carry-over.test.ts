import pg from 'pg';
import { type Logger, pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { createOrm } from '../../services/store/orm.ts';
import { carryOver } from '../../services/store/statements/carry-over.ts';
import { openStore } from '../../services/store/store.ts';
import { eventually } from '../support/wait.ts';
import { startProduct } from './product.ts';
import { type OldAccount, oldAccount } from './upgrade/old-account.ts';
import { fillOldLog, writeOldLog } from './upgrade/old-log.ts';
import { startOldVersion } from './upgrade/old-version.ts';
import { type OldDatabase, patientPool, startNewVersion, versionBefore } from './upgrade/rig.ts';

/* The step to the journal: a large log is carried over in steps, which may be cut short anywhere. */
vi.setConfig({ testTimeout: 180_000 });

const before = versionBefore();

/** More than three steps. */
const CALLS = 35_000;

const LOG =
  'SELECT account_id, id, trace_id, at, key_id, verb, source_id, environment, outcome, applied_at FROM call_log';

/** A database with a long log of two accounts. */
async function withLog(calls = CALLS): Promise<{ database: OldDatabase; owner: OldAccount; alarmId: string }> {
  const database = await before.database();
  const [owner, other] = [await oldAccount(database, 'Owner'), await oldAccount(database, 'Other')];
  const [alarmId, elsewhere] = [await owner.alarm('House'), await other.alarm('Elsewhere')];
  await fillOldLog(database, owner, alarmId, calls - 5_000);
  await fillOldLog(database, other, elsewhere, 5_000);
  await database.rows(`CREATE TABLE log_before AS ${LOG}`);
  return { database, owner, alarmId };
}

/** Nothing of the old log is lost, and nothing of it stands twice. */
async function expectCarried({ rows }: OldDatabase): Promise<void> {
  const [found] = await rows(`
SELECT (SELECT count(*)::int FROM (SELECT * FROM log_before EXCEPT ALL (${LOG})) x) AS lost,
  (SELECT count(*)::int FROM (${LOG} EXCEPT ALL SELECT * FROM log_before) x WHERE id <= (SELECT max(id) FROM log_before)) AS added,
  to_regclass('call_log_before') AS old, to_regclass('call_log_carried') AS place`);
  expect(found).toEqual({ lost: 0, added: 0, old: null, place: null });
}

/** A log that keeps its lines, and may do something at each. */
function keptLog(onLine: (line: Record<string, unknown>) => void = () => {}) {
  const lines: Record<string, unknown>[] = [];
  const write = (text: string) => {
    const line = JSON.parse(text);
    lines.push(line);
    onLine(line);
  };
  return { lines, log: pino({ level: 'info' }, { write }) };
}

/** Migrates, and leaves the log where it was put aside. */
async function migrateOnly({ url }: OldDatabase): Promise<void> {
  const orm = await createOrm(url, pino({ level: 'silent' }));
  await orm.migrator.up();
  await orm.close(true);
}

/** Carries over on a connection of its own. */
async function carryOn(database: OldDatabase, log: Logger): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => {});
  await client.connect();
  await carryOver(client, log).finally(() => client.end());
}

test('a log of many steps: each is committed by itself, and its progress is told', async () => {
  const { database } = await withLog();
  await database.rows('ANALYZE call_log');
  const { log, lines } = keptLog();
  const store = await openStore(database.url, log);
  await store.close();
  const told = lines.filter(({ msg }) => String(msg).includes('log of calls'));
  expect(told[0]).toMatchObject({ carried: 10_000, of: CALLS });
  expect(told.at(-1)).toMatchObject({ carried: CALLS, msg: 'the log of calls was carried over to its new table' });
  await expectCarried(database);
  const again = keptLog();
  await (await openStore(database.url, again.log)).close();
  expect(again.lines.filter(({ msg }) => String(msg).includes('log of calls'))).toEqual([]);
});

test('its connection is cut, again and again: it goes on where it stood, nothing twice, nothing lost', async () => {
  const { database } = await withLog();
  await migrateOnly(database);
  const killer = patientPool(database.url);
  onTestFinished(() => killer.end());
  const cut = () =>
    void killer.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%call_log_carried%' AND pid <> pg_backend_pid()",
    );
  const carried = async () => (await database.rows<{ n: number }>('SELECT count(*)::int AS n FROM logged_call'))[0]!.n;
  const seen: number[] = [];
  for (const _ of [1, 2]) {
    await expect(carryOn(database, keptLog(cut).log)).rejects.toThrow();
    seen.push(await carried());
  }
  expect(seen.map(calls => calls % 10_000)).toEqual([0, 0]);
  expect(seen[1]).toBeGreaterThan(seen[0]!);
  expect(seen[0]).toBeGreaterThan(0);
  const { log, lines } = keptLog();
  await carryOn(database, log);
  expect(lines.at(-1)).toMatchObject({ carried: CALLS - seen[1]! });
  await expectCarried(database);
});

test('a process killed while it carries over, then two that start at once: all is carried over once, and both serve', async () => {
  const { database, owner, alarmId } = await withLog(60_000);
  const old = startOldVersion(database.url);
  await old.accept({ digest: owner.key.digest, sourceId: alarmId, verb: 'arm', named: 'night' });
  await old.stop();
  const settings = {
    DATABASE_URL: database.url,
    KEY_PEPPER: 'p'.repeat(32),
    DATA_KEY: '0'.repeat(64),
    LOG_LEVEL: 'info',
  };
  const victim = startProduct(settings);
  await eventually(() => victim.printed().stderr.includes('is being carried over'), {
    what: 'the log to be carried over',
    within: 60_000,
  });
  await victim.kill();
  expect(victim.printed().stdout).not.toContain('"ready":true');
  const both = [startProduct(settings), startProduct(settings)];
  await Promise.all(both.map(one => one.ready()));
  await eventually(
    async () => (await database.rows("SELECT FROM source_state WHERE armed_mode = 'night'")).length === 1,
    { what: 'the waiting call to be applied' },
  );
  await expectCarried(database);
});

test('rows that name what is gone: only those of accounts that are gone go with them', async () => {
  const { database, owner, alarmId } = await withLog(5_001);
  const gone = newId();
  const call = {
    verb: 'trigger',
    source_id: alarmId,
    key_id: owner.key.id,
    mode: 'away',
    environment: 'live',
    applied: 'applied',
  } as const;
  const traceIds = await writeOldLog(database, owner.id, [
    { ...call, outcome: 'folded', source_id: gone },
    { ...call, outcome: 'folded', key_id: gone },
    { ...call, outcome: 'opened', incident_id: gone },
  ]);
  await writeOldLog(database, gone, [
    { ...call, outcome: 'armed' },
    { ...call, outcome: 'disarmed' },
  ]);
  await migrateOnly(database);
  const { log, lines } = keptLog();
  await carryOn(database, log);
  expect(lines).toMatchObject([{ carried: 5_004 }, { orphans: 2 }]);
  const { client, as } = await startNewVersion(database);
  const found = async (traceId: string) => (await client.findCall({ traceId }, as(owner.id))).call!;
  expect(await found(traceIds[0]!)).toMatchObject({ outcome: 'folded', sourceId: gone, keyId: owner.key.id });
  expect(await found(traceIds[1]!)).toMatchObject({ outcome: 'folded', sourceId: alarmId, keyId: '' });
  expect(await found(traceIds[2]!)).toMatchObject({ outcome: 'opened', sourceId: alarmId, incidentId: '' });
});

test('a backup that reads the old table keeps no start waiting: the next one drops it', async () => {
  const { database } = await withLog();
  await migrateOnly(database);
  const backup = patientPool(database.url);
  onTestFinished(() => backup.end());
  const reading = await backup.connect();
  await reading.query('BEGIN; SELECT count(*) FROM call_log_before');
  const { log, lines } = keptLog();
  await carryOn(database, log);
  expect(lines.map(({ msg }) => msg)).toContain('the old table of logged calls is in use; the next start drops it');
  await reading.query('COMMIT');
  reading.release();
  const { world } = await startNewVersion(database);
  await world.settle();
  await expectCarried(database);
});
