import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { expect, test } from 'vitest';
import { SessionService } from '../../gen/tocsin/console/v1/sessions_pb.ts';
import { seedDemo } from '../../services/start/demo.ts';
import { inTransaction } from '../../services/store/statement.ts';
import { consoleOf } from '../support/console.ts';
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

test('the first start prints a link that signs in once as the operator, and DEMO_EMAIL looks after the demo', async () => {
  const serviceToken = 'shared-by-the-parts-of-this-deployment';
  const settings = { DATA_DIR: await emptyFolder(), DEMO_EMAIL: 'anna@example.com', SERVICE_TOKEN: serviceToken };
  const first = startProduct(settings);
  const ready = await first.ready();
  expect(ready.signInUrl).toMatch(/^http:\/\/.+\/sign-in#tcl_[0-9A-Za-z]{36}$/);
  expect(first.printed().stderr).toContain(ready.signInUrl!);
  const transport = createConnectTransport({ baseUrl: ready.rpc, httpVersion: '1.1' });
  const way = { case: 'link' as const, value: { secret: ready.signInUrl!.split('#')[1]! } };
  const part = { headers: { 'x-tocsin-service': serviceToken } };
  const { secret } = await createClient(SessionService, transport).signIn({ way }, part);
  const { accounts } = await consoleOf({ rpcUrl: ready.rpc }, secret).accounts.listAccounts({});
  const { members } = await consoleOf({ rpcUrl: ready.rpc }, secret, accounts[0]!.id).members.listMembers({});
  expect(members).toMatchObject([{ email: 'anna@example.com', role: 'owner', state: 'invited' }]);
  first.signal('SIGTERM');
  expect(await first.ended()).toBe(0);
  const second = startProduct(settings);
  expect(await second.ready()).not.toHaveProperty('signInUrl');
  expect(second.printed().stderr).not.toContain('tcl_');
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
