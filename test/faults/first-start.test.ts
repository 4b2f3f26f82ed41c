import { expect, test } from 'vitest';
import { seedDemo } from '../../services/start/demo.ts';
import { inTransaction } from '../../services/store/statement.ts';
import { eventually } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';
import { emptyFolder, serverPid } from './embedded-rig.ts';
import { connectTo } from './live-demo.ts';
import { call, startProduct } from './product.ts';

test('secrets shown once are shown: a first start killed after it made them leaves them for the next one, and only for that', async () => {
  const dataDir = await emptyFolder();
  const settings = { DATA_DIR: dataDir };
  const killed = startProduct(settings);
  const pool = await eventually(
    async () => {
      // The port is written down only once the server has it.
      await serverPid(dataDir);
      const tried = await connectTo(dataDir);
      await tried.query('SELECT 1');
      return tried;
    },
    { what: 'the embedded database', within: 30_000 },
  );
  await eventually(async () => (await pool.query('SELECT 1 FROM account')).rowCount === 1, {
    what: 'the demo account to be there',
    within: 30_000,
  });
  await killed.kill();
  const shownBefore = killed.printed().stdout.includes('toc_');

  const second = startProduct(settings);
  const ready = await second.ready();
  if (!shownBefore) {
    expect(ready.apiKey).toMatch(/^toc_[0-9A-Za-z]{36}$/);
    expect(second.printed().stderr).toMatch(/TOCSIN_TOKEN=tcn_[0-9A-Za-z]{36}/);
    expect(await call(ready, 'integration/state')).toBe(200);
  }
  await eventually(async () => (await pool.query('SELECT 1 FROM unshown')).rowCount === 0, {
    what: 'the shown secrets to be forgotten',
  });
  second.signal('SIGTERM');
  expect(await second.ended()).toBe(0);

  const third = startProduct(settings);
  expect(await third.ready()).not.toHaveProperty('apiKey');
  expect(third.printed().stderr).not.toContain('tcn_');
}, 120_000);

test('a further start does not wait for a change that is under way', async () => {
  const { store, account } = await startWorld();
  await account();
  const busy = await store.pool.connect();
  await busy.query('BEGIN');
  await busy.query('SELECT FROM account FOR NO KEY UPDATE');
  const read = () => Promise.reject(new Error('there is nothing to fill'));
  const seeded = inTransaction(store.pool, client => seedDemo(client, { plan: 'paid', demoEmail: null, read }));
  try {
    expect(await seeded).toBeNull();
  } finally {
    await busy.query('ROLLBACK');
    busy.release();
  }
});
