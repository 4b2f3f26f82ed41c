import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { consoleOf, refusal } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import {
  buttons,
  DESK,
  furnish,
  openConsole,
  press,
  shows,
  signInByCode,
  startConsole,
  startConsoleWithMail,
  text,
  tick,
  type,
} from './console-rig.ts';

needsChromium();

const choose = (page: Page, label: string, value: string) =>
  page.evaluate(`(() => {
    const field = [...document.querySelectorAll('main .field')].find(one => one.firstChild.innerText === ${JSON.stringify(label)});
    const choice = field.querySelector('select');
    choice.value = ${JSON.stringify(value)};
    choice.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);

test('changes the account, keeps what was typed when it is refused, and meets what somebody else saved', async () => {
  const { world, seen, url, openAs } = await startConsoleWithMail();
  const beside = await world.account();
  const page = await openAs('owner', 'Otto');
  await page.open(`${url}/settings`);
  await shows(page, "Owner's email");
  await type(page, 'input[name=ownerEmail]', 'otto at example');
  await type(page, 'input[name=cap]', 'ten');
  await shows(page, 'Takes an amount such as 10.00');
  await type(page, 'input[name=cap]', '5,5');
  await press(page, 'Save');
  await shows(page, 'an email address such as');
  expect(await page.evaluate(`document.querySelector('input[name=ownerEmail]').value`)).toBe('otto at example');

  const { account } = await seen.accounts.getAccount({});
  await seen.accounts.updateAccount({ account: { ...account!, name: 'Elm Street' }, updateMask: { paths: ['name'] } });
  await shows(page, 'Somebody else saved changes while you were editing.');
  await shows(page, 'They changed: Name.');
  await type(page, 'input[name=ownerEmail]', 'otto@example.com');
  await choose(page, 'Time zone', 'America/New_York');
  await choose(page, 'Notify people again while it is still happening', '300');
  await press(page, 'Save');
  await shows(page, 'Saved.');
  await shows(page, 'New York');
  expect((await seen.accounts.getAccount({})).account).toMatchObject({
    name: 'Elm Street',
    ownerEmail: 'otto@example.com',
    ownerTimeZone: 'America/New_York',
    stillHappeningS: 300,
    dailySpendCapCents: 550,
  });

  await type(page, 'input[name=cap]', '7');
  await press(page, 'Save');
  await shows(page, 'Raising or removing the daily spend cap');
  expect((await seen.accounts.getAccount({})).account!.dailySpendCapCents).toBe(550);
  expect((await world.rows('SELECT name FROM account WHERE id = $1', [beside.accountId]))[0]).toEqual({
    name: 'An account',
  });
});

test('keeps what is typed in the very moment in which somebody else saves', async () => {
  const { seen, url, openAs } = await startConsoleWithMail();
  const page = await openAs('owner', 'Otto');
  await page.open(`${url}/settings`);
  await type(page, 'input[name=ownerEmail]', 'otto at example');
  await page.evaluate(`new MutationObserver((_, watching) => {
    if (!document.body.innerText.includes('They changed: Name.')) return;
    watching.disconnect();
    const field = document.querySelector('input[name=ownerEmail]');
    field.value = 'otto@example.com';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }).observe(document.body, { childList: true, subtree: true }), true`);
  const { account } = await seen.accounts.getAccount({});
  await seen.accounts.updateAccount({ account: { ...account!, name: 'Elm Street' }, updateMask: { paths: ['name'] } });
  await shows(page, 'They changed: Name.');
  await press(page, 'Save');
  await shows(page, 'Saved.');
  expect((await seen.accounts.getAccount({})).account).toMatchObject({
    name: 'Elm Street',
    ownerEmail: 'otto@example.com',
  });
});

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
  await choose(page, 'Role', 'editor');
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

test('applies what was checked, not what was typed before the answer came', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  await furnish(console);
  const seen = consoleOf(world, world.operator, owner.accountId);
  const { text: file } = await seen.configuration.export({});
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/settings/file`);
  await page.evaluate(`(() => {
    const real = fetch;
    window.fetch = async (...asked) => {
      const answer = await real(...asked);
      if (String(asked[0].url ?? asked[0]).endsWith('/Check') && window.letGo === undefined)
        await new Promise(go => { window.letGo = go; });
      return answer;
    };
  })()`);
  await type(page, 'textarea[name=file]', file.replace('name: Workshop', 'name: Studio'));
  await press(page, 'Check it');
  await eventually(() => page.evaluate('window.letGo !== undefined'), { what: 'the answer to be under way' });
  await tick(page, 'input[name=prune]');
  await type(page, 'textarea[name=file]', 'locations: []');
  await page.evaluate('window.letGo()');
  await eventually(async () => (await buttons(page)).includes('Check it'), { what: 'the form' });
  await eventually(
    () =>
      page.evaluate(
        `[...document.querySelectorAll('main button')].some(one => one.innerText === 'Check it' && !one.disabled)`,
      ),
    { what: 'the answer' },
  );
  expect(await text(page)).not.toContain('What it would change');
  expect(await buttons(page)).not.toContain('Apply it');

  await tick(page, 'input[name=prune]');
  await type(page, 'textarea[name=file]', file.replace('name: Workshop', 'name: Studio'));
  await press(page, 'Check it');
  await shows(page, 'Name: Workshop → Studio');
  await press(page, 'Apply it');
  await shows(page, 'Make 1 change?');
  await press(page, 'Apply it');
  await shows(page, 'Applied');
  expect((await seen.alarms.listAlarms({})).alarms.map(({ name }) => name)).toContain('Studio');
});

test('nothing that was typed is lost when the session ends midway: an invitation, a member, a file', async () => {
  const { world, smtp, seen, url, openAs } = await startConsoleWithMail();
  const page = await openAs('owner', 'Otto');
  await seen.members.inviteMember({ email: 'noah@example.com', role: 'viewer', name: 'Noah' });
  await page.open(`${url}/settings/members`);
  await shows(page, 'Noah');
  // As a browser does that fills in a form: all fields at once.
  await page.evaluate(`(() => {
    for (const [name, text] of [['inviteEmail', 'anna@example.com'], ['inviteName', 'Anna']]) {
      const field = document.querySelector('input[name=' + name + ']');
      field.value = text;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
  })()`);
  await press(page, 'Edit: Noah');
  await type(page, 'input[name=memberName]', 'Noah the younger');
  const goTo = (screen: string) => page.evaluate(`document.querySelector('main a[href$="${screen}"]').click()`);
  await goTo('settings/file');
  await type(page, 'textarea[name=file]', 'locations: []');
  await world.rows('DELETE FROM console_session');
  await shows(page, 'You are signed out. Sign in to open the screen you wanted.');
  await world.advance(61);
  await signInByCode(page, smtp, 'otto@example.com');
  const typedIn = (selector: string) =>
    eventually(() => page.evaluate<string>(`document.querySelector(${JSON.stringify(selector)}).value`), {
      what: selector,
    });
  expect(await typedIn('textarea[name=file]')).toBe('locations: []');
  await goTo('settings/members');
  expect(await typedIn('input[name=inviteEmail]')).toBe('anna@example.com');
  expect(await typedIn('input[name=inviteName]')).toBe('Anna');
  expect(await typedIn('input[name=memberName]')).toBe('Noah the younger');
  await press(page, 'Send the invitation');
  await shows(page, 'anna@example.com is a member now');
  expect(await page.evaluate(`document.querySelector('input[name=inviteEmail]').value`)).toBe('');
});

test('checks a file line by line, says what it would change, and applies it after one question', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  await furnish(console);
  const seen = consoleOf(world, world.operator, owner.accountId);
  const { text: file } = await seen.configuration.export({});
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/settings/file`);
  await type(page, 'textarea[name=file]', file.replace('name: Workshop', 'nam: Workshop'));
  await press(page, 'Check it');
  await shows(page, 'wrong in it. Nothing was changed.');
  await shows(page, 'Did you mean');
  const line = file.split('\n').findIndex(one => one.includes('name: Workshop')) + 1;
  await press(page, `Line ${line}`);
  expect(
    await page.evaluate(`(() => { const { value, selectionStart, selectionEnd } = document.querySelector('textarea');
      return value.slice(selectionStart, selectionEnd); })()`),
  ).toContain('nam: Workshop');

  await type(page, 'textarea[name=file]', file.replace('name: Workshop', 'name: Studio'));
  await press(page, 'Check it');
  await shows(page, 'What it would change');
  await shows(page, 'Name: Workshop → Studio');
  expect((await seen.alarms.listAlarms({})).alarms.map(({ name }) => name)).toContain('Workshop');
  await press(page, 'Apply it');
  await shows(page, 'Make 1 change?');
  await press(page, 'Apply it');
  await shows(page, 'Applied');
  expect((await seen.alarms.listAlarms({})).alarms.map(({ name }) => name)).toContain('Studio');

  await page.evaluate(`URL.createObjectURL = blob => { window.taken = blob.text(); return 'blob:nothing'; }`);
  await press(page, 'Download tocsin.yaml');
  await eventually(() => page.evaluate<boolean>('window.taken !== undefined'), { what: 'the download' });
  expect(await page.evaluate<string>('window.taken')).toBe((await seen.configuration.export({})).text);
});
