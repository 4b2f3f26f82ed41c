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
    'KEY_PEPPER is not the one that this database was filled with, so every API key and console token would be refused: set the former one.',
  );
  await expectRefusal(
    startProduct({ ...settings, DATA_KEY: '1'.repeat(64) }),
    'DATA_KEY is not the one that the addresses in this database were sealed with, so nobody could be alerted: set the former one.',
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
