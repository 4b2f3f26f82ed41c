import { expect, onTestFinished, test } from 'vitest';
import { needsChromium, openPage, type Page } from '../../support/chromium.ts';
import { type Console, consoleOf } from '../../support/console.ts';
import { startSmtp } from '../../support/smtp.ts';
import { eventually } from '../../support/wait.ts';
import {
  choose,
  DESK,
  furnish,
  openConsole,
  PHONE,
  press,
  shows,
  signIn,
  signInByCode,
  startConsole,
  startConsoleWithMail,
  text,
  type,
} from './console-rig.ts';

needsChromium();

const signOut = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('.who button')].find(one => one.textContent === 'Sign out').click()`);

test('a link signs in on another device, once, and leaves its secret nowhere', async () => {
  const { world, owner, url } = await startConsole();
  const made = await consoleOf(world, world.operator, owner.accountId).sessions.createSignInLink({});
  const secret = made.url.slice(made.url.indexOf('#') + 1);
  const link = `${url}/sign-in#${secret}`;
  const page = await openPage(link, PHONE);
  await shows(page, 'A link brought you here. It works once.');
  expect(await page.evaluate('location.href')).toBe(`${url}/sign-in`);
  await press(page, 'Sign in on this device');
  await shows(page, 'Up to date');
  const kept = `document.documentElement.outerHTML + location.href + document.cookie
    + JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])`;
  expect(await page.evaluate<string>(kept)).not.toContain(secret);

  const other = await openPage(link, PHONE);
  await press(other, 'Sign in on this device');
  await shows(other, 'That did not work. Check it');
  expect(await text(other)).not.toContain('Up to date');
});

test('a link and a code lead to the screen that was opened, and other tabs of the browser go on where they are', async () => {
  const started = await startConsoleWithMail();
  const { world, owner, smtp, url } = started;
  const { house } = await furnish(started);
  await started.seen.members.inviteMember({ email: 'rita@example.com', role: 'editor', name: 'Rita' });
  const page = await openPage(`${url}/alarms/${house}`, PHONE);
  await shows(page, 'You are signed out.');
  const other = await page.another(`${url}/policies`);
  await shows(other, 'You are signed out.');
  await signInByCode(page, smtp, 'rita@example.com');
  await shows(page, 'Would it work?');
  await shows(other, 'Who is alerted, in which order');

  const made = await consoleOf(world, world.operator, owner.accountId).sessions.createSignInLink({});
  const linked = await openPage(`${url}/alarms/${house}${made.url.slice(made.url.indexOf('#'))}`, PHONE);
  await press(linked, 'Sign in on this device');
  await shows(linked, 'Would it work?');
  expect(await linked.evaluate('location.href')).toBe(`${url}/alarms/${house}`);
}, 120_000);

test('the link of an invitation confirms an address by a press, whoever is signed in, and leaves its secret nowhere', async () => {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const started = await startConsole({ smtpUrl: smtp.url, publicUrl: 'https://alarm.example.com' });
  const { world, owner, url } = started;
  const seen = consoleOf(world, world.operator, owner.accountId);
  await seen.members.inviteMember({ email: 'olga@example.com', role: 'owner', name: 'Olga' });
  const mail = await smtp.next(({ envelope }) => envelope.to.includes('olga@example.com'));
  const secret = /confirm#(tcc_\w{36})/.exec(mail.text!)![1]!;
  const page = await openConsole(url, world.operator, PHONE);
  await page.open(`${url}/settings/members`);
  await shows(page, 'The address is not confirmed');
  await page.open(`${url}/confirm#${secret}`);
  await shows(page, 'Is this address yours?');
  expect(await page.evaluate('location.href')).toBe(`${url}/confirm`);
  expect((await confirmedOf(seen)).at(-1)).toBeUndefined();
  await press(page, 'Confirm my address');
  await shows(page, 'Thank you. You are told from now on');
  expect((await confirmedOf(seen)).at(-1)).toBeDefined();
  await press(page, 'Go to the console');
  await shows(page, 'Nothing is set up yet.');

  const stranger = await openPage(`${url}/confirm#tcc_${'x'.repeat(36)}`, PHONE);
  await press(stranger, 'Confirm my address');
  await shows(stranger, 'This link is not valid or no longer');
}, 120_000);

async function confirmedOf({ members }: Console) {
  return (await members.listMembers({})).members.map(({ confirmedAt }) => confirmedAt);
}

test('a code of a mail signs a member in; a wrong one, or one of nobody, says the same', async () => {
  const { smtp, url, openAs } = await startConsoleWithMail();
  const page = await openAs('responder', 'Rita');
  await shows(page, 'Nothing is set up yet.');
  expect(await page.evaluate('document.cookie')).toBe('');

  const stranger = await openPage(url, PHONE);
  await shows(stranger, 'Email me a code');
  await type(stranger, 'input[name=email]', 'nobody@example.org');
  await press(stranger, 'Email me a code');
  await shows(stranger, 'If nobody@example.org is a member here');
  await type(stranger, 'input[name=code]', '123456');
  await press(stranger, 'Sign in');
  await shows(stranger, 'That did not work. Check it');
  expect(smtp.mails.filter(({ envelope }) => envelope.to.includes('nobody@example.org'))).toEqual([]);
});

test('whoever signs in next on a device sees nothing of what was read before', async () => {
  const console = await startConsole();
  const { world, url } = console;
  await furnish(console);
  const page = await openConsole(url, world.operator, PHONE);
  await shows(page, 'Workshop');
  await signOut(page);
  await shows(page, 'Email me a code');
  const patterns = [
    '*/ListAlarms',
    '*/ListCalls',
    '*/ListLocations',
    '*/ListIncidents',
    '*/ListPanicButtons',
    '*/GetReadiness',
  ].map(urlPattern => ({ urlPattern }));
  await page.ask('Fetch.enable', { patterns });
  await signIn(page, world.operator);
  await eventually(() => page.evaluate(`document.querySelector('.who') !== null`), { what: 'to be signed in' });
  expect(await text(page)).not.toContain('Workshop');
  await page.ask('Fetch.disable');
  await shows(page, 'Workshop');
});

test('a link that is opened while one is signed in, or while the services are away, leaves its secret nowhere and is not lost', async () => {
  const { world, owner, line, url } = await startConsole();
  const made = await consoleOf(world, world.operator, owner.accountId).sessions.createSignInLink({});
  const secret = made.url.slice(made.url.indexOf('#'));
  const page = await openConsole(url, world.operator, PHONE);
  for (const opened of [`${url}/incidents${secret}`, `${url}/incidents?status=open${secret}`]) {
    await page.open(opened);
    await eventually(async () => (await page.evaluate('location.href')) === opened.replace(secret, ''), {
      what: 'the address without the secret',
    });
    await choose(page, '.filters select', 'closed');
    await eventually(() => page.evaluate(`location.search === '?status=closed'`), {
      what: 'the filter in the address',
    });
    expect(await page.evaluate('location.href')).not.toContain(secret);
  }
  await page.evaluate(`location.hash = ${JSON.stringify(secret)}`);
  await eventually(() => page.evaluate(`location.hash === ''`), { what: 'the address without the secret' });

  const other = await openPage(`${url}/sign-in${secret}`, PHONE);
  await shows(other, 'A link brought you here.');
  line.cut();
  await press(other, 'Sign in on this device');
  await shows(other, 'cannot be reached');
  line.mend();
  const again = `[...document.querySelectorAll('form button')].find(one => one.innerText === 'Sign in on this device')?.click()`;
  await eventually(
    async () => {
      await other.evaluate(again);
      return (await text(other)).includes('Up to date');
    },
    { what: 'the link to be taken' },
  );
}, 120_000);

test('who wants to sign out while the services are away is told that they did not', async () => {
  const { world, line, url } = await startConsole();
  const page = await openConsole(url, world.operator, DESK);
  line.cut();
  await signOut(page);
  await shows(page, 'You are still signed in.');
  line.mend();
  await shows(page, 'Up to date');
  await signOut(page);
  await shows(page, 'Email me a code');
  expect(page.complaints.filter(complaint => complaint.includes('exceptionThrown'))).toEqual([]);
});
