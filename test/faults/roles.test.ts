import { Code } from '@connectrpc/connect';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { consoleOf, newOwner } from '../support/console.ts';
import { databaseOn, dropDatabase, dropRole, makeDatabase, makeProductRole } from '../support/database.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';
import { query } from './embedded-rig.ts';
import { call, startProduct } from './product.ts';
import { expectRefusal } from './refusal.ts';

/* DECISIONS.md "Database roles". */
vi.setConfig({ testTimeout: 90_000 });

const SECRETS = { KEY_PEPPER: 'p'.repeat(32), DATA_KEY: '0'.repeat(64) };

/** An empty database of a role that is no superuser, and another role that may nothing there yet. */
async function aDatabase(): Promise<{ name: string; owner: string; product: string }> {
  const postgresUrl = inject('postgresUrl');
  const name = `roles_${newId()}`;
  await makeDatabase(postgresUrl, { name, from: 'template0' });
  const [owner, product] = [
    await makeProductRole(databaseOn(postgresUrl, name)),
    await makeProductRole(databaseOn(postgresUrl, name)),
  ];
  await query(postgresUrl, `ALTER DATABASE ${name} OWNER TO ${userOf(owner)}`);
  onTestFinished(async () => {
    await dropDatabase(postgresUrl, name);
    for (const url of [owner, product]) await dropRole(postgresUrl, userOf(url));
  });
  return { name, owner, product };
}

function userOf(url: string): string {
  return new URL(url).username;
}

const DENIED = { code: '42501' };

test.each(['one', 'two'] as const)('with %s role a story goes from the trigger to the acknowledgement', async roles => {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url, publicUrl: 'of the facade', roles });
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const step = { contacts: [{ contactId, channels: ['email' as const] }] };
  const policyId = await owner.policy([
    { delayS: 0, ...step },
    { delayS: 60, ...step },
  ]);
  const alarmId = await owner.alarm({ modes: { away: { policyId, windowS: 30 } }, clearOnDisarm: true });
  const key = await owner.key();

  for (const verb of ['arm', 'trigger'])
    expect((await world.get(`/v1/alarm/${alarmId}/${verb}`, key)).status).toBe(202);
  await world.settle();
  await world.advance(31);
  const { text = '' } = await smtp.next();
  const link = /http\S+\/i\/\S+/.exec(text)![0];
  expect((await fetch(`${link}/acknowledge`, { method: 'POST' })).status).toBeLessThan(400);
  await world.settle();
  await world.advance(120);
  expect(await owner.incidents()).toMatchObject([{ status: 'open', acknowledgedVia: 'link' }]);
  expect((await world.get(`/v1/alarm/${alarmId}/disarm`, key)).status).toBe(202);
  await world.settle();
  expect(await owner.incidents()).toMatchObject([{ status: 'closed', closeReason: 'disarm' }]);
  expect((await fetch(`${world.url}/readyz`)).status).toBe(200);
  await smtp.stop();
});

describe('the role of the product', () => {
  test('may not change what there is, nor what the audit says', async () => {
    const world = await startWorld({ roles: 'two' });
    const { accountId } = await world.account();
    const console = consoleOf(world, world.operator, accountId);
    await console.locations.createLocation({ location: { name: 'Shed' } });
    for (const sql of [
      'ALTER TABLE account ADD COLUMN more text',
      'DROP TABLE unshown',
      'TRUNCATE logged_call',
      'CREATE TABLE own (id int)',
      'CREATE FUNCTION own() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
      'ALTER TABLE account DISABLE TRIGGER ALL',
      "UPDATE audit SET actor = 'Nobody'",
      'DELETE FROM audit',
      'SELECT FROM audit FOR UPDATE',
      'TRUNCATE audit',
      'DELETE FROM account',
      'DELETE FROM migration',
      "SELECT FROM tocsin_remove_old_audit(ARRAY['x'], ARRAY[0], 0, 1000)",
    ]) {
      await expect(world.rows(sql), sql).rejects.toMatchObject(DENIED);
    }
    expect((await console.audit.listChanges({})).changes).toHaveLength(1);
  });

  test('removes of the audit what is kept for long enough', async () => {
    const world = await startWorld({ roles: 'two', retention: { audit: 1 } });
    const { accountId } = await world.account();
    const kept = await world.account();
    const [console, other] = [
      consoleOf(world, world.operator, accountId),
      consoleOf(world, world.operator, kept.accountId),
    ];
    await console.locations.createLocation({ location: { name: 'Shed' } });
    await world.advance(2 * 86_400);
    await other.locations.createLocation({ location: { name: 'Shed' } });
    await world.sweep();
    expect((await console.audit.listChanges({})).changes).toEqual([]);
    expect((await other.audit.listChanges({})).changes).toHaveLength(1);
  });

  test('removes an account that holds nothing, and no other', async () => {
    const world = await startWorld({ roles: 'two' });
    const [one, other] = [await newOwner(world), await newOwner(world)];
    const { location } = await other.console.locations.createLocation({ location: { name: 'Shed' } });
    const live = { name: 'Shed', locationId: location!.id, test: false };
    await other.console.alarms.createAlarm({ alarm: live });
    const operator = (accountId: string) => consoleOf(world, world.operator, accountId).accounts;
    await operator(one.accountId).deleteAccount({ accountId: one.accountId });
    const refused = operator(other.accountId).deleteAccount({ accountId: other.accountId });
    await expect(refused).rejects.toMatchObject({ code: Code.FailedPrecondition });
    await expect(world.rows('SELECT tocsin_delete_account($1)', [other.accountId])).rejects.toMatchObject({
      code: '23503',
    });
    expect(await world.rows('SELECT id FROM account')).toEqual([{ id: other.accountId }]);
  });

  test('is told by doctor to the operator, and to nobody else', async () => {
    const roles = async (world: World) => {
      const { console } = await newOwner(world);
      const operator = consoleOf(world, world.operator);
      return Promise.all([operator, console].map(async of => (await of.deployment.getDeployment({})).databaseRole));
    };
    expect(await roles(await startWorld({ roles: 'two' }))).toEqual(['rows_only', '']);
    expect(await roles(await startWorld({ roles: 'one' }))).toEqual(['superuser', '']);
  });

  test('that lost a right is not ready', async () => {
    const world = await startWorld({ roles: 'two' });
    const { rows } = await world.store.pool.query<{ role: string }>('SELECT current_user AS role');
    await query(world.databaseUrl, `REVOKE INSERT ON journal FROM ${rows[0]!.role}`);
    await eventually(async () => (await fetch(`${world.url}/readyz`)).status === 503, { what: 'readyz to say so' });
  });
});

describe('npm start', () => {
  test('with two URLs: migrates as the one, works as the other; later the other alone will do', async () => {
    const { owner, product } = await aDatabase();
    const first = startProduct({ ...SECRETS, DATABASE_URL: product, MIGRATE_DATABASE_URL: owner });
    const { apiKey = '', http } = await first.ready();
    expect(await call({ http }, 'integration/state', apiKey)).toBe(200);
    first.signal('SIGTERM');
    expect(await first.ended()).toBe(0);
    const alone = await startProduct({ ...SECRETS, DATABASE_URL: product }).ready();
    expect(await call(alone, 'integration/state', apiKey)).toBe(200);
    await expect(query(product, 'DROP TABLE unshown')).rejects.toMatchObject(DENIED);
  });

  test('with one URL of an owner that is no superuser: as before', async () => {
    const { owner } = await aDatabase();
    const ready = await startProduct({ ...SECRETS, DATABASE_URL: owner }).ready();
    expect(await call(ready, 'integration/state')).toBe(200);
  });

  test('a user who may not migrate, or lacks a right, is told what to do in one sentence', async () => {
    const { name, owner, product } = await aDatabase();
    const { host } = new URL(owner);
    const settings = { ...SECRETS, DATABASE_URL: product };
    await expectRefusal(
      startProduct(settings),
      `The database of DATABASE_URL (${name} at ${host}) does not let this user make or change tables: run "npm run migrate" with MIGRATE_DATABASE_URL set to the owner of the tables, or make this user the owner.`,
    );
    const migrated = startProduct({ ...settings, MIGRATE_DATABASE_URL: owner }, { script: 'migrate' });
    expect(await migrated.ended()).toBe(0);
    expect(JSON.parse(migrated.printed().stdout)).toMatchObject({ migrated: true, pending: [] });
    await query(owner, `REVOKE DELETE ON journal FROM ${userOf(product)}`);
    await expectRefusal(
      startProduct(settings),
      'The user of DATABASE_URL lacks the right DELETE on "journal": run "npm run migrate" with MIGRATE_DATABASE_URL set to the owner of the tables, which grants what is needed.',
    );
    await startProduct({ ...settings, MIGRATE_DATABASE_URL: owner }).ready();
  });

  test('URLs that do not fit together are told in one sentence', async () => {
    const { owner, product } = await aDatabase();
    const other = await aDatabase();
    const elsewhere = new URL(product);
    elsewhere.pathname = other.name;
    await expectRefusal(
      startProduct({ ...SECRETS, DATABASE_URL: elsewhere.href, MIGRATE_DATABASE_URL: owner }),
      'The user of DATABASE_URL finds no tables of Tocsin: DATABASE_URL and MIGRATE_DATABASE_URL have to name the same database.',
    );
    await expectRefusal(
      startProduct({ ...SECRETS, DATABASE_URL: owner, MIGRATE_DATABASE_URL: product }),
      new RegExp(
        `^The database could not be migrated: the user "${userOf(product)}" of MIGRATE_DATABASE_URL does not own the tables`,
      ),
    );
    const nobody = new URL(product);
    nobody.username = 'nobody_at_all';
    await expectRefusal(
      startProduct({ ...SECRETS, DATABASE_URL: owner, MIGRATE_DATABASE_URL: nobody.href }),
      /^The database of MIGRATE_DATABASE_URL \(.+\) refuses the user or the password: check both\.$/,
    );
  });
});
