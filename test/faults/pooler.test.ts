import { inject, onTestFinished, test, vi } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { dropDatabase, dropRole, makeDatabase, makeProductRole, TEMPLATE } from '../support/database.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';
import { query } from './embedded-rig.ts';
import { startProduct } from './product.ts';
import { expectRefusal } from './refusal.ts';

/* A pooler in transaction mode gives a connection another session for each transaction: it is noticed, and the start stops. */
vi.setConfig({ testTimeout: 300_000 });

const SECRETS = { KEY_PEPPER: 'p'.repeat(32), DATA_KEY: '0'.repeat(64) };

/** A database, and a role that may do all there. */
async function aDatabase(): Promise<string> {
  const postgresUrl = inject('postgresUrl');
  const name = `pooled_${newId()}`;
  const url = await makeProductRole(await makeDatabase(postgresUrl, { name, from: TEMPLATE }));
  const { username } = new URL(url);
  await query(postgresUrl, `ALTER ROLE ${username} SUPERUSER`);
  onTestFinished(async () => {
    await dropDatabase(postgresUrl, name);
    await dropRole(postgresUrl, username);
  });
  return url;
}

test('a connection pooler that refuses session settings stops the start with one sentence', async () => {
  const through = await startPgBouncer(await aDatabase());
  await expectRefusal(
    startProduct({ ...SECRETS, DATABASE_URL: through }),
    /^The database of DATABASE_URL \(pooled_\w+ at 127\.0\.0\.1:\d+\) refuses what a session sets, as PgBouncer does: name PostgreSQL itself\.$/,
  );
});

test('a pooler that forgets session settings stops the start, whether it stands before the owner of the tables or before the product', async () => {
  const direct = await aDatabase();
  const through = await startPgBouncer(direct, 'ignore_startup_parameters = options');
  await expectRefusal(
    startProduct({ ...SECRETS, DATABASE_URL: through }),
    /^The database could not be migrated: what a session sets is not kept, as with PgBouncer in between/,
  );
  await expectRefusal(
    startProduct({ ...SECRETS, DATABASE_URL: through, MIGRATE_DATABASE_URL: direct }),
    'The database of DATABASE_URL does not keep what a session sets, as with PgBouncer in between: name PostgreSQL itself.',
  );
});

test('a pooler that gives each transaction another session stops the start, even where all sessions are set alike', async () => {
  const direct = await aDatabase();
  await query(direct, `ALTER ROLE ${new URL(direct).username} SET plan_cache_mode = force_generic_plan`);
  const through = await startPgBouncer(direct, 'ignore_startup_parameters = options');
  await expectRefusal(
    startProduct({ ...SECRETS, DATABASE_URL: through, MIGRATE_DATABASE_URL: direct }),
    'The database of DATABASE_URL does not keep what a session sets, as with PgBouncer in between: name PostgreSQL itself.',
  );
});
