import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { dropDatabase, makeDatabase } from '../support/database.ts';
import { query } from './embedded-rig.ts';
import { startProduct } from './product.ts';
import { expectRefusal } from './refusal.ts';

vi.setConfig({ testTimeout: 60_000 });

const NAME = 'planned';
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
  expect(before.pending).toContain('20261123-members');
  expect(await query(DATABASE_URL, "SELECT FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  const { executed } = await migrate();
  expect(executed).toEqual(before.pending);
  expect(await migrate('--plan')).toEqual({ migrated: false, executed, pending: [], unknown: [] });

  await query(DATABASE_URL, "INSERT INTO migration (name) VALUES ('29990101-later')");
  expect(await migrate('--plan')).toMatchObject({ pending: [], unknown: ['29990101-later'] });
  await expectRefusal(
    startProduct(settings),
    'The database belongs to a newer version: 29990101-later is not known to this one. Start that version, or restore a backup from before it.',
  );
  await expectRefusal(
    startProduct(settings, { script: 'migrate', args: ['--dry'] }),
    'npm run migrate takes --plan or nothing, got --dry.',
  );
});
