import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { LOGIN, mailServer, smtpUrl } from '../scenario/carriers-rig.ts';
import { consoleOf } from '../support/console.ts';
import { dropDatabase, makeDatabase, TEMPLATE } from '../support/database.ts';
import { eventually } from '../support/wait.ts';
import { query } from './embedded-rig.ts';
import { type Ready, startProduct } from './product.ts';

/* DECISIONS.md "Carriers set up in the console": as processes of their own, of which one dies. */
vi.setConfig({ testTimeout: 120_000 });

const OPERATOR = 'tcn_the-operators-token-in-these-tests';

test('a process that dies as soon as a carrier is stored loses nothing: another one notices, and so does the next start', async () => {
  const smtp = await mailServer();
  const name = `carriers_${newId()}`;
  const DATABASE_URL = await makeDatabase(inject('postgresUrl'), { name, from: TEMPLATE });
  onTestFinished(() => dropDatabase(inject('postgresUrl'), name));
  const settings = {
    ...{ DATABASE_URL, KEY_PEPPER: 'p'.repeat(32), DATA_KEY: 'ab'.repeat(32), CONSOLE_TOKEN: OPERATOR },
    LOG_LEVEL: 'debug',
  };
  const dying = startProduct(settings);
  const stored = await dying.ready();
  const other = startProduct(settings);
  const living = await other.ready();
  const emailAt = async ({ rpc }: Ready) => {
    const { channels } = await consoleOf({ rpcUrl: rpc }, OPERATOR).deployment.getDeployment({});
    return channels.find(({ channel }) => channel === 'email');
  };
  expect(await emailAt(living)).toMatchObject({ state: 'no_carrier' });

  const setting = consoleOf({ rpcUrl: stored.rpc }, OPERATOR)
    .carriers.setCarrier({ name: 'mail', settings: { SMTP_URL: smtpUrl(smtp) } })
    .catch(() => 'died');
  await eventually(async () => (await query(DATABASE_URL, 'SELECT FROM deployment_setting')).length === 1, {
    what: 'it to be stored',
  });
  await dying.kill();
  await setting;
  await eventually(async () => (await emailAt(living))?.state === 'carrier', {
    what: 'the other process to notice',
    within: 5_000,
  });
  expect(await emailAt(living)).toMatchObject({ asked: 'answers' });

  const again = startProduct(settings);
  expect(await emailAt(await again.ready())).toMatchObject({ state: 'carrier', asked: 'answers' });
  // Whatever is printed, whoever prints it.
  for (const product of [dying, other, again]) {
    const { stdout, stderr } = product.printed();
    for (const secret of [LOGIN.password, encodeURIComponent(LOGIN.password)]) {
      expect(stdout + stderr).not.toContain(secret);
    }
  }
});
