import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { migrateDatabase } from '../../services/store/migrating.ts';
import { connection } from '../support/connection.ts';
import { dropDatabase, makeDatabase } from '../support/database.ts';
import { makeNeighbour, NEXT, type Neighbour } from '../support/neighbour.ts';
import { eventually } from '../support/wait.ts';
import { SECRETS, shelf, tocsinOf } from './backup-rig.ts';
import { query } from './embedded-rig.ts';
import { startProduct } from './product.ts';
import { expectRefusal } from './refusal.ts';

/*
 * What the migration of a made-up next version does to a database of this one: it takes as long as it takes, holds nobody
 * up, is told in sentences, and can be gone back from as facade/docs/upgrading.md says.
 */
vi.setConfig({ testTimeout: 120_000 });

let next: Neighbour;
beforeAll(async () => {
  next = await makeNeighbour();
});
afterAll(() => next[Symbol.asyncDispose]());

const quiet = pino({ level: 'silent' });

/** An empty database. */
async function emptyDatabase() {
  const name = `steps_${newId()}`;
  const DATABASE_URL = await makeDatabase(inject('postgresUrl'), { name, from: 'template0' });
  onTestFinished(() => dropDatabase(inject('postgresUrl'), name));
  return { name, settings: { ...SECRETS, DATABASE_URL }, url: DATABASE_URL };
}

/** A database as this version makes it. */
async function databaseOfThis() {
  const database = await emptyDatabase();
  await migrateDatabase(database.url, database.url, quiet);
  return database;
}

/** `npm run migrate` of the next version. */
function migrating(settings: Record<string, string>, LOG_LEVEL = 'error') {
  return startProduct({ ...settings, LOG_LEVEL }, { script: 'migrate', folder: next.folder });
}

test('no limit of a statement cuts a migration short, whatever the server, the database or the user are set to', async () => {
  const { name, settings, url } = await databaseOfThis();
  // As slow as a table of millions: longer than any statement of a usual connection may take.
  await query(
    url,
    `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(5.2); RETURN NULL; END $$;
     CREATE TRIGGER slow AFTER UPDATE ON delivery FOR EACH STATEMENT EXECUTE FUNCTION slow()`,
  );
  await query(url, `ALTER DATABASE ${name} SET statement_timeout = '20ms'`);
  const product = migrating(settings);
  expect(await product.ended()).toBe(0);
  expect(JSON.parse(product.printed().stdout)).toMatchObject({ migrated: true, executed: ['20261130-first', ...NEXT] });
});

test('a table that is in use is waited for in turns: calls go on meanwhile, how far it is is told, then it is done', async () => {
  const { settings, url } = await databaseOfThis();
  const holder = await connection(url);
  // As a backup does.
  await holder.query('BEGIN; LOCK TABLE delivery IN ACCESS SHARE MODE');
  const product = migrating(settings, 'info');
  const lines = () =>
    product
      .printed()
      .stderr.split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line) as Record<string, unknown>);
  const told = () => lines().find(({ msg }) => String(msg).startsWith('the database is being migrated'));
  const other = await connection(url);
  await other.query("SET statement_timeout = '1200ms'");
  await eventually(told, { what: 'progress to be told' });
  for (let tries = 0; tries < 20; tries++)
    await other.query("UPDATE delivery SET attempt = 1 WHERE account_id = 'nobody'");
  await holder.query('COMMIT');
  expect(await product.ended()).toBe(0);
  expect(told()).toMatchObject({ migration: NEXT[0], number: 1, of: 3, seconds: expect.any(Number) });
  expect(lines().at(-1)).toMatchObject({ msg: 'the database was migrated', migrations: 3 });
});

test('statements that read two of the tables that change are not held up for one while the other is waited for', async () => {
  const { settings, url } = await databaseOfThis();
  const reader = await connection(url);
  await reader.query('BEGIN; LOCK TABLE source IN ACCESS SHARE MODE');
  const product = migrating(settings);
  const waits = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'source'::regclass";
  await eventually(async () => (await query(url, waits)).length > 0, { what: 'the migration to wait for sources' });
  await reader.query("SET LOCAL lock_timeout = '200ms'; SELECT FROM delivery");
  await reader.query('COMMIT');
  expect(await product.ended()).toBe(0);
});

test('a session that never lets go: the start gives up and says why, nothing is half done, and the next one succeeds', async () => {
  const { settings, url } = await databaseOfThis();
  const holder = await connection(url);
  await holder.query('BEGIN; LOCK TABLE delivery IN ACCESS SHARE MODE');
  await expectRefusal(migrating(settings), /is in use by other sessions: stop the version before and whatever else/);
  expect(await query(url, 'SELECT name FROM migration')).toEqual([{ name: '20261130-first' }]);
  expect(await query(url, "SELECT FROM pg_class WHERE relname = 'shift'")).toEqual([]);
  await holder.query('COMMIT');
  expect(await migrating(settings).ended()).toBe(0);
});

test('what nobody foresaw is one sentence that names the migration, and nothing of it is kept', async () => {
  const { settings, url } = await databaseOfThis();
  await query(url, 'CREATE INDEX delivery_tone ON delivery (reason)');
  await expectRefusal(
    migrating(settings),
    /^The database could not be migrated \(29990101-delivery, 1 of 3\): .*relation "delivery_tone" already exists.*\. Nothing of it is half done: put that right, then start again\.$/,
  );
  expect(await query(url, "SELECT FROM pg_class WHERE relname = 'shift'")).toEqual([]);
});

/** The columns of these tables that whoever inserts has to fill. */
function asked(url: string) {
  return query(
    url,
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name <> 'shift' AND is_nullable = 'NO' AND column_default IS NULL
       AND is_identity = 'NO' AND is_generated = 'NEVER' ORDER BY 1`,
  );
}

test('the plan of the next version names what it would do, and this one refuses what that has done', async () => {
  const { settings, url } = await databaseOfThis();
  const before = await asked(url);
  const plan = async (folder: string) => {
    const product = startProduct(settings, { script: 'migrate', args: ['--plan'], folder });
    expect(await product.ended()).toBe(0);
    return JSON.parse(product.printed().stdout);
  };
  const executed = ['20261130-first'];
  expect(await plan(next.folder)).toEqual({ migrated: false, executed, pending: NEXT, unknown: [] });
  expect(await migrating(settings).ended()).toBe(0);
  // This version goes on beside it: it is asked for no column that it does not know.
  expect(await asked(url)).toEqual(before);
  const refused =
    /^The database belongs to a newer version: this one does not know 29990101-delivery, 29990102-source, 29990103-incident\./;
  expect(await plan(THIS)).toMatchObject({ pending: [], unknown: NEXT, refused: expect.stringMatching(refused) });
  await expectRefusal(startProduct(settings), refused);
});

const THIS = fileURLToPath(new URL('../..', import.meta.url));

test('a backup of this version is restored by the next one, which then migrates it; one of the next is refused here', async () => {
  const [one, another, folder] = [await databaseOfThis(), await emptyDatabase(), await shelf()];
  await query(one.url, "INSERT INTO account (id, name, plan) VALUES ('one', 'Old', 'paid')");
  const [old, later] = [`${folder}/old.backup`, `${folder}/later.backup`];
  const [here, there] = [tocsinOf(THIS), tocsinOf(next.folder)];
  expect(await here(['backup', old], one.settings)).toMatchObject({ code: 0 });
  expect(await there(['restore', old], another.settings)).toMatchObject({ code: 0 });
  expect(await query(another.url, 'SELECT name FROM account')).toEqual([{ name: 'Old' }]);
  expect(await query(another.url, 'SELECT name FROM migration ORDER BY id')).toEqual([
    { name: '20261130-first' },
    ...NEXT.map(name => ({ name })),
  ]);
  // What identities make goes on behind what there is.
  await query(another.url, "INSERT INTO account (id, name, plan) VALUES ('two', 'New', 'paid')");
  expect(await there(['backup', later], another.settings)).toMatchObject({ code: 0 });
  const empty = await emptyDatabase();
  const refused = await here(['restore', later], empty.settings);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('newer schema than this Tocsin knows') });
});
