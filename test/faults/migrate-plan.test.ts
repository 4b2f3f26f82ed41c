import { readFileSync } from 'node:fs';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { dropDatabase, makeDatabase } from '../support/database.ts';
import { query } from './embedded-rig.ts';
import { startProduct } from './product.ts';
import { expectRefusal } from './refusal.ts';

vi.setConfig({ testTimeout: 60_000 });

const NAME = 'planned';
const EARLIER = 'before_release';
/** What the docs say of it. */
const [UPGRADING] = readFileSync(new URL('../../facade/docs/upgrading.md', import.meta.url), 'utf8').split(
  '## One process',
);
const SECRETS = { KEY_PEPPER: 'p'.repeat(32), DATA_KEY: '0'.repeat(64) };

test('what an upgrade would do to the database can be asked, and a version that is older than its database refuses it', async () => {
  const DATABASE_URL = await makeDatabase(inject('postgresUrl'), { name: NAME, from: 'template0' });
  onTestFinished(() => dropDatabase(inject('postgresUrl'), NAME));
  const settings = { ...SECRETS, DATABASE_URL };
  const migrate = async (...args: string[]) => {
    const run = startProduct(settings, { script: 'migrate', args });
    expect(await run.ended()).toBe(0);
    return JSON.parse(run.printed().stdout) as Record<string, string[]>;
  };

  const before = await migrate('--plan');
  expect(before).toMatchObject({ migrated: false, executed: [], unknown: [] });
  expect(before.pending).toContain('20261130-first');
  expect(await query(DATABASE_URL, "SELECT FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  const { executed } = await migrate();
  expect(executed).toEqual(before.pending);
  expect(await migrate('--plan')).toEqual({ migrated: false, executed, pending: [], unknown: [] });

  await query(DATABASE_URL, "INSERT INTO migration (name) VALUES ('29990101-later')");
  const refused =
    'The database belongs to a newer version: this one does not know 29990101-later. Start that version, or restore a backup from before it.';
  const plan = await migrate('--plan');
  expect(plan).toMatchObject({ pending: [], unknown: ['29990101-later'], refused });
  for (const field of Object.keys(plan)) expect(UPGRADING).toContain(`\`${field}\``);
  await expectRefusal(startProduct(settings), refused);
  await expectRefusal(
    startProduct(settings, { script: 'migrate', args: ['--dry'] }),
    'npm run migrate takes --plan or nothing, got --dry.',
  );
});

test('a database from before the first release is refused, also by the plan, with how to carry its accounts over', async () => {
  const DATABASE_URL = await makeDatabase(inject('postgresUrl'), { name: EARLIER, from: 'template0' });
  onTestFinished(() => dropDatabase(inject('postgresUrl'), EARLIER));
  await query(
    DATABASE_URL,
    'CREATE TABLE migration (id serial PRIMARY KEY, name varchar NOT NULL, executed_at timestamptz)',
  );
  const executed = ['20261121-first', '20261121-console'];
  for (const name of executed) await query(DATABASE_URL, `INSERT INTO migration (name) VALUES ('${name}')`);
  const settings = { ...SECRETS, DATABASE_URL };
  const refused =
    'The database is from before the first release (20261121-first), and no version brings it up to date: save each account with "tocsin config export" at the Tocsin that made it, then start this one on a new database and run "tocsin config apply" with what was saved.';
  const plan = startProduct(settings, { script: 'migrate', args: ['--plan'] });
  expect(await plan.ended()).toBe(0);
  expect(JSON.parse(plan.printed().stdout)).toEqual({
    migrated: false,
    executed,
    pending: [],
    unknown: executed,
    refused,
  });
  for (const script of ['migrate', 'start'] as const) await expectRefusal(startProduct(settings, { script }), refused);
  const tables = "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'";
  expect(await query(DATABASE_URL, tables)).toEqual([{ name: 'migration' }]);
});
