import { pino } from 'pino';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { startSentence } from '../../services/process/start-errors.ts';
import { newId } from '../../services/store/id.ts';
import { migrateDatabase } from '../../services/store/migrating.ts';
import { createOrm } from '../../services/store/orm.ts';
import { progressTo } from '../../services/store/progress.ts';
import { connection } from '../support/connection.ts';
import { dropDatabase, makeDatabase } from '../support/database.ts';
import { eventually } from '../support/wait.ts';
import { query } from './embedded-rig.ts';

/* Migrations take as long as they take, hold nobody up, and are told in sentences. */
vi.setConfig({ testTimeout: 120_000 });

const quiet = pino({ level: 'silent' });

/** A database as a migration left it. */
async function databaseAt(migration: string): Promise<{ name: string; url: string }> {
  const name = `limits_${newId()}`;
  const url = await makeDatabase(inject('postgresUrl'), { name, from: 'template0' });
  onTestFinished(() => dropDatabase(inject('postgresUrl'), name));
  await migrateTo(url, migration);
  return { name, url };
}

async function migrateTo(url: string, migration: string): Promise<void> {
  const orm = await createOrm(url, quiet);
  await orm.migrator.up({ to: migration });
  await orm.close(true);
}

/** The last released version. */
const RELEASED = '20261121-recent';

test('no limit of a statement cuts a migration short, whatever the server, the database or the user are set to', async () => {
  const { name, url } = await databaseAt(RELEASED);
  // As slow as a table of millions: longer than any statement of a usual connection may take.
  await query(
    url,
    `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(5.2); RETURN NULL; END $$;
     CREATE TRIGGER slow AFTER UPDATE ON incident FOR EACH STATEMENT EXECUTE FUNCTION slow()`,
  );
  await query(url, `ALTER DATABASE ${name} SET statement_timeout = '20ms'`);
  expect(await migrateDatabase(url, url, quiet)).toContain('20261122-roles');
});

test('a table that is in use is waited for in turns: calls go on meanwhile, how far it is is told, then it is done', async () => {
  const { url } = await databaseAt('20261122-journal');
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (text: string) => void lines.push(JSON.parse(text)) });
  const holder = await connection(url);
  // As a backup does.
  await holder.query('BEGIN; LOCK TABLE delivery IN ACCESS SHARE MODE; LOCK TABLE notice IN ROW EXCLUSIVE MODE');
  const migrating = migrateDatabase(url, url, log);
  const other = await connection(url);
  await other.query("SET statement_timeout = '1200ms'");
  await eventually(() => lines.some(({ msg }) => String(msg).startsWith('the database is being migrated')), {
    what: 'progress to be told',
  });
  for (let tries = 0; tries < 20; tries++)
    await other.query("UPDATE notice SET attempt = 1 WHERE account_id = 'nobody'");
  await holder.query('COMMIT');
  expect(await migrating).toContain('20261122-roles');
  const told = lines.find(({ msg }) => String(msg).startsWith('the database is being migrated'))!;
  expect(told).toMatchObject({ migration: '20261122-fair-sending', number: 1, seconds: expect.any(Number) });
  expect(lines.at(-1)).toMatchObject({ msg: 'the database was migrated', migrations: told.of });
});

test('what nobody foresaw is one sentence that names the migration, and nothing of it is kept', async () => {
  const { url } = await databaseAt(RELEASED);
  await query(url, 'CREATE TABLE notice (of_somebody_else int)');
  const fault = await migrateDatabase(url, url, quiet).then(
    () => null,
    (error: unknown) => error,
  );
  expect(startSentence(fault, { ports: {}, databaseUrl: url })).toMatch(
    /^The database could not be migrated \(20261122-reached, 1 of \d+\): .*relation "notice" already exists.*\. Nothing of it is half done: put that right, then start again\.$/,
  );
  expect(await query(url, "SELECT FROM pg_attribute WHERE attname = 'planned_at'")).toEqual([]);
});

test('on a terminal it is told in words', () => {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  progressTo(quiet, { isTTY: true, write }).info({ carried: 20_000, of: null }, 'the log is being carried over');
  expect(written).toEqual(['the log is being carried over (carried 20,000)\n']);
});

test('a version goes on beside the next one: no migration asks it for a column that it does not know', async () => {
  const { url } = await databaseAt(RELEASED);
  const orm = await createOrm(url, quiet);
  onTestFinished(() => orm.close(true));
  const pending = (await orm.migrator.getPending()).map(({ name }) => name);
  expect(pending.length).toBeGreaterThan(4);
  const asked: string[] = [];
  for (const migration of pending) {
    const tables = (await query(url, TABLES)) as { name: string }[];
    const before = new Set(((await query(url, ASKED)) as { name: string }[]).map(({ name }) => name));
    await orm.migrator.up({ to: migration });
    const known = new Set(tables.map(({ name }) => name));
    const after = (await query(url, ASKED)) as { table: string; name: string }[];
    asked.push(...after.filter(({ table, name }) => known.has(table) && !before.has(name)).map(({ name }) => name));
  }
  expect(asked).toEqual([]);
});

const TABLES = "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace";

/** The columns that whoever inserts has to fill. */
const ASKED = `
SELECT table_name AS table, table_name || '.' || column_name AS name FROM information_schema.columns
WHERE table_schema = 'public' AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'
  AND is_generated = 'NEVER'`;
