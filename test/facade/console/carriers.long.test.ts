import { expect, onTestFinished, test } from 'vitest';
import { LOGIN, mailServer, smtpUrl } from '../../scenario/carriers-rig.ts';
import { needsChromium } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { startNtfy } from '../../support/ntfy.ts';
import { eventually } from '../../support/wait.ts';
import { choose, DESK, furnish, openConsole, PHONE, press, shows, startConsole, text, type } from './console-rig.ts';
import { faultsOf, go } from './looks-rig.ts';

needsChromium();

const field = (name: string) => `input[name="${name}"]`;

test('the operator sets up a mail server on the page: a wrong password is told, the right one sends, and can be tried', async () => {
  const smtp = await mailServer();
  const console = await startConsole();
  const { world, url } = console;
  const { port } = new URL(smtp.url);
  const page = await openConsole(url, world.operator, DESK);
  await go(page, `${url}/operator/carriers`, 'Mail server');
  await press(page, 'Set up: Mail server');
  await choose(page, 'select[name="SMTP_URL.provider"]', 'Fastmail');
  await shows(page, 'app password');
  expect(await page.evaluate(`document.querySelector('${field('SMTP_URL.host')}').value`)).toBe('smtp.fastmail.com');
  await type(page, field('SMTP_URL.host'), '127.0.0.1');
  await type(page, field('SMTP_URL.port'), port);
  await type(page, field('SMTP_URL.user'), LOGIN.user);
  await press(page, 'Try and save');
  await shows(page, 'Type the password: it is for this host, port and user.');
  await type(page, field('SMTP_URL.password'), 'wrong');
  await press(page, 'Try and save');
  await shows(page, 'the mail server refused the login of SMTP_URL: 535 5.7.8 Authentication credentials invalid');
  await type(page, field('SMTP_URL.password'), LOGIN.password);
  await press(page, 'Try and save');
  await shows(page, 'Send a test');
  const shown = await page.evaluate<string>('document.documentElement.outerHTML');
  for (const secret of [LOGIN.password, encodeURIComponent(LOGIN.password)]) expect(shown).not.toContain(secret);

  await press(page, 'Send a test: Mail server');
  await type(page, field('mail.to'), 'me@example.com');
  await press(page, 'Send');
  await shows(page, 'The carrier took it.');
  expect(await smtp.next()).toMatchObject({ envelope: { to: ['me@example.com'] } });

  // Another sender goes without the password; another host does not.
  await press(page, 'Edit: Mail server');
  await type(page, field('MAIL_FROM'), 'tocsin@example.com');
  await press(page, 'Try and save');
  await shows(page, 'tocsin@example.com');
  const { carriers } = consoleOf(world, world.operator);
  const mail = async () => (await carriers.listCarriers({})).carriers.find(({ name }) => name === 'mail')!;
  expect(await mail()).toMatchObject({ state: 'works', version: 2 });

  // Somebody else changes it meanwhile: nothing that was typed is lost.
  await press(page, 'Edit: Mail server');
  await type(page, field('MAIL_FROM'), 'mine@example.com');
  await carriers.setCarrier({ name: 'mail', settings: { SMTP_URL: smtpUrl(smtp) }, version: 2 });
  await press(page, 'Try and save');
  await shows(page, 'Operator stored SMTP_URL, MAIL_FROM');
  expect(await page.evaluate(`document.querySelector('${field('MAIL_FROM')}').value`)).toBe('mine@example.com');
  // It is sent for the version that was read, which may be on its way.
  const sendAgain = async () => {
    await page.evaluate(`document.querySelector('main form button[type=submit]:not(:disabled)')?.click()`);
    return (await mail()).version >= 4;
  };
  await eventually(sendAgain, { what: 'what was typed to be stored upon that' });
  await shows(page, 'Send a test');
  expect((await mail()).settings[1]).toMatchObject({ value: 'mine@example.com' });

  await press(page, 'Delete: Mail server');
  await shows(page, 'Delete what is stored for Mail server?');
  await press(page, 'Delete');
  await eventually(async () => (await mail()).state === 'not_set', { what: 'it to be set up no more' });
  await shows(page, 'Mail through a server that takes your login');
}, 60_000);

test('what is in the way leads the operator to the carriers; axe finds nothing there, light and dark, phone and desktop', async () => {
  const ntfy = await startNtfy({ token: 'tk_secret' });
  onTestFinished(ntfy.stop);
  const console = await startConsole({ carrierEnv: { TWILIO_FROM: '+12025550100' } });
  const { world, url } = console;
  await furnish(console);
  const { carriers } = consoleOf(world, world.operator);
  await carriers.setCarrier({ name: 'mail', settings: { SMTP_URL: (await mailServer(null)).url } });
  const page = await openConsole(url, world.operator, DESK);
  const faults: string[] = [];
  await shows(page, 'See what to set up');
  await press(page, 'See what to set up');
  await shows(page, 'Mail server');
  expect(await page.evaluate('location.pathname')).toBe('/operator/carriers');
  faults.push(...(await faultsOf(page, 'operator-carriers-empty')));

  await carriers.setCarrier({ name: 'ntfy', settings: { NTFY_URL: ntfy.url, NTFY_TOKEN: 'tk_secret' } });
  await carriers.setCarrier({
    name: 'mail',
    settings: { SMTP_URL: 'smtp://me:secret@127.0.0.1:9' },
    version: 1,
    storeAnyway: true,
  });
  await go(page, `${url}/operator/carriers`, 'Does not work');
  await shows(page, 'Works');
  await press(page, 'Send a test: ntfy');
  faults.push(...(await faultsOf(page, 'operator-carriers')));
  await press(page, 'Edit: Mail server');
  await press(page, 'Edit: ntfy');
  await page.evaluate(`for (const one of document.querySelectorAll('main details')) one.open = true`);
  await press(page, 'Try and save');
  await shows(page, 'Store it all the same');
  await page.evaluate(`document.querySelector('main form').scrollIntoView()`);
  faults.push(...(await faultsOf(page, 'operator-carriers-form')));
  expect(faults).toEqual([]);
  expect(await text(page)).not.toContain('tk_secret');
}, 300_000);

test('the operator sets where links lead: what does not answer is told and can be stored all the same, and it can be taken back', async () => {
  const console = await startConsole();
  const { world, url } = console;
  const { deployment } = consoleOf(world, world.operator);
  const page = await openConsole(url, world.operator, PHONE);
  const faults: string[] = [];
  await go(page, `${url}/operator/deployment`, 'Address of this Tocsin');
  await type(page, field('public_url'), 'http://127.0.0.1:1');
  await press(page, 'Try and save');
  await shows(page, 'cannot be reached from here');
  faults.push(...(await faultsOf(page, 'public-url')));
  await press(page, 'Store it all the same');
  const version = async () => (await deployment.getDeployment({})).publicUrlVersion;
  await eventually(async () => (await version()) === 1, { what: 'it to be stored all the same' });
  await shows(page, 'Links in messages lead to http://127.0.0.1:1');

  await type(page, field('public_url'), url);
  await press(page, 'Try and save');
  await eventually(async () => (await version()) === 2, { what: 'it to be stored' });

  // Somebody else sets it meanwhile.
  await shows(page, `Links in messages lead to ${url}`);
  await deployment.setPublicUrl({ publicUrl: 'https://other.example', version: 2, storeAnyway: true });
  await press(page, 'Delete');
  await shows(page, 'Operator stored PUBLIC_URL');
  await shows(page, 'https://other.example');
  await press(page, 'Delete');
  await eventually(async () => (await deployment.getDeployment({})).publicUrlSetIn === '', { what: 'it to be gone' });
  expect(faults).toEqual([]);
}, 60_000);
