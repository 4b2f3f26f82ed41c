import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import {
  buttons,
  chooseIn,
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

/** The screen of the configuration as a file, and the file of a furnished house. */
async function aFile() {
  const console = await startConsole();
  const { world, owner, url } = console;
  await furnish(console);
  const seen = consoleOf(world, world.operator, owner.accountId);
  const { text: file } = await seen.configuration.export({});
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/settings/file`);
  return { page, seen, file };
}

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
  await chooseIn(page, 'Time zone', 'America/New_York');
  await chooseIn(page, 'Notify people again while it is still happening', '300');
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

test('applies what was checked, not what was typed before the answer came', async () => {
  const { page, seen, file } = await aFile();
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
  const { page, seen, file } = await aFile();
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
