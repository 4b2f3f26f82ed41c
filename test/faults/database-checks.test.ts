import { describe, expect, inject, test, vi } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { makeDatabase, TEMPLATE } from '../support/database.ts';
import { eventually } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';
import { emptyFolder, query, start } from './embedded-rig.ts';
import { call, startProduct } from './product.ts';
import { expectRefusal } from './refusal.ts';

vi.setConfig({ testTimeout: 90_000 });

const SECRETS = { KEY_PEPPER: 'p'.repeat(32), DATA_KEY: '0'.repeat(64) };

async function newDatabase(from = 'template0'): Promise<{ name: string; DATABASE_URL: string }> {
  const name = `checked_${newId()}`;
  return { name, DATABASE_URL: await makeDatabase(inject('postgresUrl'), { name, from }) };
}

test('another KEY_PEPPER or DATA_KEY than that of the data stops the start; with the former ones it goes on', async () => {
  const { DATABASE_URL } = await newDatabase();
  const settings = { DATABASE_URL, ...SECRETS };
  const first = startProduct(settings);
  const { apiKey = '' } = await first.ready();
  first.signal('SIGTERM');
  expect(await first.ended()).toBe(0);

  await expectRefusal(
    startProduct({ ...settings, KEY_PEPPER: 'q'.repeat(32) }),
    'KEY_PEPPER is not the one that this database was filled with, so every API key and console token would be refused: set the former one, here or as KEY_PEPPER_ALSO.',
  );
  await expectRefusal(
    startProduct({ ...settings, DATA_KEY: '1'.repeat(64) }),
    'DATA_KEY is not the one that the addresses in this database were sealed with, so nobody could be alerted: set the former one, here or as DATA_KEY_ALSO.',
  );
  expect(await call(await startProduct(settings).ready(), 'integration/state', apiKey)).toBe(200);
});

test('another DATA_KEY stops the start also on a database from before there were proofs: the addresses in it show that', async () => {
  const { DATABASE_URL } = await newDatabase();
  const settings = { DATABASE_URL, ...SECRETS };
  const first = startProduct(settings);
  await first.ready();
  first.signal('SIGTERM');
  expect(await first.ended()).toBe(0);
  await query(DATABASE_URL, 'DELETE FROM secret_proof');
  await expectRefusal(startProduct({ ...settings, DATA_KEY: '1'.repeat(64) }), /^DATA_KEY is not the one that/);
});

/** Settings that a database or a role may have, each of which breaks a client that relies on the usual one. */
const ODD: Readonly<Record<string, string>> = {
  datestyle: 'SQL, DMY',
  intervalstyle: 'iso_8601',
  timezone: 'Asia/Kathmandu',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  search_path: '',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  statement_timeout: '20ms',
  lock_timeout: '1ms',
  idle_session_timeout: '50ms',
  idle_in_transaction_session_timeout: '50ms',
  client_min_messages: 'error',
  synchronous_commit: 'off',
  plan_cache_mode: 'force_custom_plan',
};

test('a database that is set up for others works like every other', async () => {
  const { name, DATABASE_URL } = await newDatabase();
  for (const [setting, value] of Object.entries(ODD)) {
    await query(inject('postgresUrl'), `ALTER DATABASE ${name} SET ${setting} = '${value}'`);
  }
  const product = startProduct({ DATABASE_URL, ...SECRETS });
  const ready = await product.ready();
  const { apiKey = '' } = ready;
  const described = await fetch(`${ready.http}/v1/integration/describe`, { headers: { 'x-api-key': apiKey } });
  const { data } = (await described.json()) as { data: { locations: { alarms: { id: string }[] }[] } };
  const { id } = data.locations.flatMap(({ alarms }) => alarms)[0]!;
  for (const call of [`alarm/${id}/arm/away`, `alarm/${id}/trigger`]) {
    expect((await fetch(`${ready.http}/v1/${call}`, { headers: { 'x-api-key': apiKey } })).status, call).toBe(202);
  }
  const opened = async () => (await query(DATABASE_URL, 'SELECT FROM public.incident')).length > 0;
  await eventually(opened, { what: 'the incident' });
  expect((await fetch(`${ready.http}/readyz`)).status).toBe(200);
  expect(
    product
      .printed()
      .stderr.split('\n')
      .filter(line => /"level":(50|60)/.test(line)),
  ).toEqual([]);
  product.signal('SIGTERM');
  expect(await product.ended()).toBe(0);
});

test('tables of Tocsin that are in another schema are not passed over: the start stops', async () => {
  const { DATABASE_URL } = await newDatabase(TEMPLATE);
  await query(DATABASE_URL, 'ALTER SCHEMA public RENAME TO app; CREATE SCHEMA public');
  await expectRefusal(
    startProduct({ DATABASE_URL, ...SECRETS }),
    /^The tables of Tocsin are in the schema app of this database, and it looks for them in public: /,
  );
  // The plan says so too: to it the database is not empty either.
  const plan = startProduct({ DATABASE_URL, ...SECRETS }, { script: 'migrate', args: ['--plan'] });
  expect(await plan.ended()).toBe(0);
  expect(JSON.parse(plan.printed().stdout)).toEqual({
    migrated: false,
    executed: [],
    pending: [],
    unknown: [],
    refused: expect.stringMatching(/^The tables of Tocsin are in the schema app of this database/),
  });
});

describe('what only speaks like PostgreSQL stops the start, before anything is made there', () => {
  /** What a server answers instead of PostgreSQL's own function of that name, and the sentence. */
  test.each([
    [
      'another product',
      "version() RETURNS text LANGUAGE sql AS $$ SELECT 'PostgreSQL 18.0 (CockroachDB CCL v26.1)' $$",
      'The database of DATABASE_URL is not PostgreSQL itself but "PostgreSQL 18.0 (CockroachDB CCL v26.1)": name a server of PostgreSQL, no other one runs Tocsin.',
    ],
    [
      'a name that nobody knows, of several lines',
      "version() RETURNS text LANGUAGE sql AS $$ SELECT E'Nearly\\nPostgreSQL 18' $$",
      'The database of DATABASE_URL is not PostgreSQL itself but "Nearly PostgreSQL 18": name a server of PostgreSQL, no other one runs Tocsin.',
    ],
    [
      'an advisory lock that lets everybody in',
      'pg_try_advisory_xact_lock(bigint) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$',
      'The database of DATABASE_URL is not PostgreSQL in what counts: its advisory locks keep nobody out: name a server of PostgreSQL, no other one runs Tocsin.',
    ],
    [
      'an advisory lock that is never let go',
      'pg_try_advisory_xact_lock(bigint) RETURNS boolean LANGUAGE sql AS $$ SELECT false $$',
      'The database of DATABASE_URL is not PostgreSQL in what counts: its advisory locks are not let go: name a server of PostgreSQL, no other one runs Tocsin.',
    ],
  ])('%s', async (_what, instead, sentence) => {
    const { DATABASE_URL } = await newDatabase();
    await query(DATABASE_URL, `CREATE OR REPLACE FUNCTION pg_catalog.${instead}`);
    await expectRefusal(startProduct({ DATABASE_URL, ...SECRETS }), sentence);
    expect(await query(DATABASE_URL, "SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace")).toEqual([]);
  });
});

test('a server that may damage what it committed stops the start, unless that is allowed', async () => {
  const postgres = await start(await emptyFolder());
  await query(postgres.ownerUrl, 'ALTER SYSTEM SET full_page_writes = off');
  await query(postgres.ownerUrl, 'SELECT pg_reload_conf()');
  const settings = { DATABASE_URL: postgres.ownerUrl, ...SECRETS };
  await expectRefusal(
    startProduct(settings),
    'The database has full_page_writes=off: a power cut may damage all of it. Set it to on, or UNSAFE_DATABASE=allowed where the data may be lost.',
  );
  await startProduct({ ...settings, UNSAFE_DATABASE: 'allowed' }).ready();
});

describe('what a 202 promises is committed durably', () => {
  test.each([
    ['off', 'on'],
    ['local', 'on'],
    ['remote_apply', 'remote_apply'],
  ])('though the database has synchronous_commit=%s: %s', async (has, wanted) => {
    const { name, DATABASE_URL } = await newDatabase(TEMPLATE);
    await query(DATABASE_URL, `ALTER DATABASE ${name} SET synchronous_commit = ${has}`);
    const { store } = await startWorld({ database: name });
    for (const pool of [store.accepting, store.working, store.pool]) {
      expect((await pool.query('SHOW synchronous_commit')).rows).toEqual([{ synchronous_commit: wanted }]);
    }
  });
});

test('/readyz says so where the database takes no writes any more', async () => {
  const world = await startWorld();
  const readyz = async () => (await fetch(`${world.url}/readyz`)).status;
  expect(await readyz()).toBe(200);
  const name = new URL(world.databaseUrl).pathname.slice(1);
  await query(world.databaseUrl, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await query(
    inject('postgresUrl'),
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
  );
  await eventually(async () => (await readyz()) === 503, { what: 'readyz to say that nothing can be written' });
  expect((await fetch(`${world.url}/livez`)).status).toBe(200);
});
