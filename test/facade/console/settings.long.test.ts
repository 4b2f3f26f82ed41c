import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { consoleOf, refusal } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import {
  buttons,
  chooseIn,
  DESK,
  furnish,
  openConsole,
  press,
  shows,
  startConsole,
  startConsoleWithMail,
  text,
  type,
} from './console-rig.ts';

needsChromium();

test('says what the plan allows, and what went out this month by channel', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  const { house, key } = await furnish(console);
  await world.get(`/v1/alarm/${house}/trigger/night`, key);
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/settings/plan`);
  await shows(page, 'any number allowed');
  await shows(page, 'Daily cap: $10.00. Daily ceiling: $250.00.');
  await shows(page, 'Month by month');
  expect((await owner.incidents()).length).toBe(1);
  const rows = await page.evaluate<string[]>(`[...document.querySelectorAll('tbody tr')].map(one => one.innerText)`);
  expect(rows.at(-1)).toMatch(/^\w+ 2026\t1\t0\t0/);
});

test('invites a member by mail, changes the role, and removes them; nobody else is touched', async () => {
  const { world, seen, smtp, url, openAs } = await startConsoleWithMail();
  const beside = await world.account();
  const page = await openAs('owner', 'Otto');
  await page.open(`${url}/settings/members`);
  await shows(page, 'What each role may do');
  await type(page, 'input[name=inviteEmail]', 'anna at example');
  await press(page, 'Send the invitation');
  await shows(page, 'an email address such as');
  await type(page, 'input[name=inviteEmail]', 'anna@example.com');
  await type(page, 'input[name=inviteName]', 'Anna');
  await press(page, 'Send the invitation');
  await shows(page, 'anna@example.com is a member now, and a mail is on its way.');
  await smtp.next(({ envelope }) => envelope.to.includes('anna@example.com'));
  const anna = async () =>
    (await seen.members.listMembers({})).members.find(({ email }) => email === 'anna@example.com');
  expect(await anna()).toMatchObject({ name: 'Anna', role: 'responder', state: 'invited' });

  await press(page, 'Edit: Anna');
  await chooseIn(page, 'Role', 'editor');
  await press(page, 'Save');
  await eventually(async () => (await anna())?.role === 'editor', { what: 'the role' });
  await press(page, 'Delete: Otto');
  await shows(page, 'Remove Otto?');
  await press(page, 'Delete');
  await shows(page, 'This is the last owner of the account');
  await press(page, 'Cancel');
  await press(page, 'Delete: Anna');
  await shows(page, 'Remove Anna?');
  await press(page, 'Delete');
  await eventually(async () => (await anna()) === undefined, { what: 'the member to be gone' });
  expect(await world.rows('SELECT FROM member WHERE account_id = $1', [beside.accountId])).toEqual([]);
});

test('says first whether something does not work: a carrier that fails, by name and with its words', async () => {
  const { smtp, url, openAs } = await startConsoleWithMail();
  const page = await openAs('owner', 'Otto');
  await smtp.stop();
  await page.open(`${url}/settings/doctor`);
  await shows(page, 'Something does not work.');
  await shows(page, 'The carrier does not work:');
  await shows(page, 'SMTP_URL');
});

test('shows no button to whom it would be refused', async () => {
  const { world, seen, url, openAs } = await startConsoleWithMail();
  const page = await openAs('viewer', 'Vera');
  for (const [part, wanted] of [
    ['', 'Only an owner of the account can change this.'],
    ['/plan', 'Your plan'],
    ['/members', 'What each role may do'],
    ['/file', 'Export your configuration'],
    ['/doctor', 'This deployment'],
    ['/constructor', 'Only an owner of the account can change this.'],
  ] as const) {
    await page.open(`${url}/settings${part}`);
    await shows(page, wanted);
    expect(await buttons(page), part).toEqual(part === '/file' ? ['Download tocsin.yaml'] : []);
  }
  await page.open(`${url}/settings/access`);
  await shows(page, 'Where you are signed in');
  expect(await text(page)).not.toMatch(/Console tokens|Webhook secret/);
  const [vera] = (await seen.members.listMembers({})).members;
  expect(vera!.role).toBe('viewer');
  const mine =
    await page.evaluate<number>(`fetch('rpc/tocsin.console.v1.AccountService/GetWebhookSecret', { method: 'POST',
    headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' }, body: '{}' }).then(({ status }) => status)`);
  expect(mine).toBe(404);
  const refused =
    await page.evaluate<number>(`fetch('../rpc/tocsin.console.v1.AccountService/GetWebhookSecret', { method: 'POST',
    headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' }, body: '{}' }).then(({ status }) => status)`);
  expect(refused).toBe(403);
  expect((await world.rows('SELECT count(*)::int AS count FROM member'))[0]).toEqual({ count: 1 });
});

test('lists sessions and ends one, makes a token that is shown once, revokes it, and shows the webhook secret on demand', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  const page = await openConsole(url, world.operator, DESK);
  const other = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/settings/access`);
  await shows(page, 'This device');
  const ended = `[...document.querySelectorAll('main .rows:first-of-type .row')].find(one => !one.innerText.includes('This device')).querySelector('button').click()`;
  await page.evaluate(ended);
  await shows(other, 'Email me a code');

  await type(page, 'input[name=tokenLabel]', 'Backup script');
  await press(page, 'Create a token');
  await shows(page, 'It is shown only once.');
  const secret = await page.evaluate<string>(`document.querySelector('.secret code').innerText`);
  expect(secret).toMatch(/^tcn_/);
  expect((await consoleOf(world, secret).accounts.getAccount({})).account!.id).toBe(owner.accountId);
  await press(page, 'I have it');
  await shows(page, 'Backup script');
  expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain(secret);
  expect(
    await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])'),
  ).not.toContain(secret);
  await press(page, 'Revoke: Backup script');
  await shows(page, 'Revoke Backup script?');
  await press(page, 'Revoke');
  await shows(page, 'Revoked');
  expect((await refusal(consoleOf(world, secret).accounts.getAccount({}))).code).toBe('Unauthenticated');

  expect(await text(page)).not.toContain('whsec_');
  await press(page, 'Show the secret');
  await shows(page, 'whsec_');
  const shown = await page.evaluate<string>(`document.querySelector('.copying code').innerText`);
  expect(shown).toBe((await consoleOf(world, world.operator, owner.accountId).accounts.getWebhookSecret({})).secret);
  await press(page, 'Hide it');
  await eventually(async () => !(await text(page)).includes('whsec_'), { what: 'the secret to be hidden' });
});
