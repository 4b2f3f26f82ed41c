import { expect, inject, test, vi } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { newSecret } from '../../services/store/secret.ts';
import { consoleOf, refusal } from '../support/console.ts';
import { makeDatabase } from '../support/database.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { call, startProduct } from './product.ts';

vi.setConfig({ testTimeout: 90_000 });

test('at its most talkative the log holds no key, token, password, number or address of anybody', async () => {
  const login = { user: 'mailer', password: `mail-password-${newId()}` };
  const smtp = await startSmtp({ login });
  const wrongLogin = smtp.url.replace('://', `://${login.user}:not-${login.password}@`);
  const settings = {
    DATABASE_URL: await makeDatabase(inject('postgresUrl'), { name: `logged_${newId()}`, from: 'template0' }),
    KEY_PEPPER: `pepper-${newId()}`,
    DATA_KEY: newId()
      .replaceAll(/[^0-9a-f]/g, '7')
      .padEnd(64, '3'),
    CONSOLE_TOKEN: newSecret('tcn'),
    DEMO_EMAIL: `anna.${newId()}@example.com`,
    SMTP_URL: wrongLogin,
    CONTACT_VERIFICATION: 'trusted',
    LOG_LEVEL: 'trace',
  };
  // What a first start shows once is meant to be seen, on the same stream.
  const first = startProduct(settings);
  const { apiKey = '' } = await first.ready();
  first.signal('SIGTERM');
  expect(await first.ended()).toBe(0);

  const product = startProduct(settings);
  const ready = await product.ready();
  const describe = await fetch(`${ready.http}/v1/integration/describe`, { headers: { 'x-api-key': apiKey } });
  const { data } = (await describe.json()) as { data: { locations: { alarms: { id: string; name: string }[] }[] } };
  const alarmId = data.locations.flatMap(({ alarms }) => alarms).find(({ name }) => name === 'Try me (live)')!.id;
  const unknown = newSecret('toc');
  const token = newId();
  expect(await call(ready, `alarm/${alarmId}/arm`, apiKey)).toBe(202);
  expect(await call(ready, `alarm/${alarmId}/trigger`, apiKey)).toBe(202);
  expect(await call(ready, `alarm/${alarmId}/trigger?x-api-key=${unknown}`, unknown)).toBe(401);
  await fetch(`${ready.http}/i/${token}`);
  await fetch(`${ready.http}/nowhere/${apiKey}`, { headers: { cookie: `session=${apiKey}` } });
  const number = '+12025550143';
  const world = { rpcUrl: ready.rpc };
  const operator = consoleOf(world, settings.CONSOLE_TOKEN);
  const accountId = (await operator.accounts.listAccounts({})).accounts[0]!.id;
  const owner = consoleOf(world, settings.CONSOLE_TOKEN, accountId);
  const channels = [{ channel: 'text', address: number }];
  await owner.contacts.createContact({ contact: { name: 'Noah', channels } });
  const { secret } = await owner.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  await refusal(consoleOf(world, unknown).contacts.listContacts({}));
  await eventually(() => product.printed().stderr.includes('did not take a message'), {
    what: 'the mail server to refuse the login, and the log to say so',
  });
  product.signal('SIGTERM');
  expect(await product.ended()).toBe(0);

  const { stdout, stderr } = product.printed();
  const { KEY_PEPPER, DATA_KEY, CONSOLE_TOKEN, DEMO_EMAIL } = settings;
  const secrets = { apiKey, unknown, token, secret, number, KEY_PEPPER, DATA_KEY, CONSOLE_TOKEN, DEMO_EMAIL };
  const found = Object.entries({ ...secrets, password: login.password }).filter(([, value]) =>
    (stdout + stderr).includes(value),
  );
  expect(found).toEqual([]);
});
