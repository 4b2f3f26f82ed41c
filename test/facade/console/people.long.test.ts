import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { refusal } from '../../support/console.ts';
import { codeIn } from '../../support/verified.ts';
import { eventually } from '../../support/wait.ts';
import { buttons, furnish, press, shows, startConsoleWithMail, text, type } from './console-rig.ts';

needsChromium();

test('adds a person, says beside its field what is wrong, verifies them by a code, and sends them a test', async () => {
  const { world, smtp, seen, url, openAs } = await startConsoleWithMail();
  const beside = await world.account();
  const page = await openAs('owner', 'Otto');
  await page.open(`${url}/people`);
  await shows(page, 'Add yourself first.');
  await press(page, 'Add a person');
  await type(page, 'input[name=name]', 'Anna');
  await press(page, 'Text');
  await shows(page, 'Phone number for texts');
  // As a browser does that fills in a form: all fields at once.
  await page.evaluate(`for (const [at, address] of ['anna at example', '0043 (660) 123-4567'].entries()) {
    const field = document.querySelector('input[name="channels[' + at + '].address"]');
    field.value = address;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }`);
  await press(page, 'Add');
  await shows(page, 'an email address such as');
  const wrong = `document.querySelector('input[name="channels[0].address"]').closest('label').querySelector('.wrong') !== null`;
  expect(await page.evaluate(wrong)).toBe(true);
  expect(await page.evaluate(`document.querySelector('input[name=name]').value`)).toBe('Anna');
  expect(await page.evaluate(`document.querySelector('input[name="channels[0].address"]').value`)).toBe(
    'anna at example',
  );
  await type(page, 'input[name="channels[0].address"]', 'anna@example.com');
  await press(page, 'Add');
  await shows(page, 'No live alert gets to Anna.');
  const [anna] = (await seen.contacts.listContacts({})).contacts;
  expect(anna).toMatchObject({ name: 'Anna', locale: 'en', timeZone: 'Europe/Vienna' });
  expect(anna!.channels.map(({ channel, address }) => [channel, address])).toEqual([
    ['email', 'anna@example.com'],
    ['text', '+436601234567'],
  ]);
  expect(await page.evaluate('location.pathname')).toBe(`/people/${anna!.id}`);

  await press(page, 'Verify');
  await shows(page, 'It is valid for 10 minutes');
  await press(page, 'Send the code');
  const { subject = '' } = await smtp.next(({ envelope }) => envelope.to.includes('anna@example.com'));
  await shows(page, 'The code is on its way. It is valid until');
  const code = codeIn(subject);
  await type(page, 'input[name=code]', code === '000000' ? '000001' : '000000');
  await press(page, 'Verify the code');
  await shows(page, 'This is not the code that was sent');
  await press(page, 'Send another code');
  await shows(page, 'at most 1 per minute');
  await type(page, 'input[name=code]', code);
  await press(page, 'Verify the code');
  await shows(page, 'Anna can be reached.');
  const { contact } = await seen.contacts.getContact({ contactId: anna!.id });
  expect(contact!.channels[0]!.verifiedAt).toBeDefined();

  const before = smtp.mails.length;
  await press(page, 'Send a test: Email to Anna');
  await shows(page, 'Handed over in');
  const drill = await smtp.next(mail => smtp.mails.indexOf(mail) >= before);
  expect(drill.text).toContain('test message');
  await press(page, 'Send a test: Text to Anna');
  await shows(page, 'It went to nobody: no carrier is set up to send it.');
  expect(await world.rows('SELECT id FROM contact WHERE account_id = $1', [beside.accountId])).toEqual([]);
  // Browsers tell of each call that was refused.
  expect(page.complaints.filter(complaint => !complaint.includes('the server responded with'))).toEqual([]);
});

test('orders the ways to reach somebody by keyboard, and deletes nobody whom a policy needs', async () => {
  const started = await startConsoleWithMail();
  const { seen, url, openAs } = started;
  await furnish(started);
  const page = await openAs('editor', 'Edda');
  await page.open(`${url}/people`);
  await shows(page, 'Everybody can be reached.');
  await press(page, 'Anna');
  await shows(page, 'A policy');
  await press(page, 'Edit');
  await shows(page, 'Edit Anna');
  // From the button of the second way: it goes up, and the keyboard stays with it.
  await page.evaluate(`document.querySelector('#ways-up-1').focus()`);
  await page.key('Enter');
  await eventually(() => page.evaluate(`document.activeElement.id === 'ways-down-0'`), {
    what: 'the keyboard to stay',
  });
  await press(page, 'Save');
  const find = async () => (await seen.contacts.listContacts({})).contacts.find(({ name }) => name === 'Anna')!;
  await eventually(async () => (await find()).channels[0]!.channel === 'text', { what: 'the new order to be stored' });
  await shows(page, 'Anna can be reached.');
  await press(page, 'Delete');
  await shows(page, 'Delete Anna?');
  await press(page, 'Delete');
  await shows(page, 'is used by policy');
  const [policy] = (await seen.policies.listPolicies({})).policies;
  const link = `document.querySelector('.notice a').getAttribute('href')`;
  expect(await page.evaluate(link)).toBe(`${url}/policies/${policy!.id}`);
  expect(await find()).toBeDefined();
});

test('gives somebody several push addresses, in an order that can be changed, and says which of them is wrong', async () => {
  const started = await startConsoleWithMail();
  const { seen, url, openAs } = started;
  await furnish(started);
  const find = async () => (await seen.contacts.listContacts({})).contacts.find(({ name }) => name === 'Anna')!;
  const had = (await find()).channels.length;
  const page = await openAs('editor', 'Edda');
  await page.open(`${url}/people/${(await find()).id}`);
  await press(page, 'Edit');
  for (const [nth, topic] of ['one', 'two', 'one'].entries()) {
    await page.evaluate(`document.querySelector('button[name=push]').click()`);
    await type(page, `input[name="channels[${had + nth}].address"]`, topic);
  }
  await shows(page, 'or Pushover key\u00a0(3)');
  await press(page, 'Save');
  await shows(page, 'a second time');
  await press(page, 'Delete: Push\u00a0(3)');
  await page.evaluate(`document.querySelector('#ways-up-${had + 1}').click()`);
  await press(page, 'Save');
  const topics = async () => (await find()).channels.slice(had).map(({ address }) => address);
  await eventually(async () => (await topics()).join() === 'two,one', { what: 'both topics, in their new order' });
  await shows(page, 'Anna');
  await press(page, 'Send a test: Push\u00a0(2) to Anna');
  await shows(page, 'It went to nobody: no carrier is set up to send it.');
  await press(page, 'Edit');
  for (let nth = 0; nth < 2; nth++) await page.evaluate(`document.querySelector('button[name=push]').click()`);
  await eventually(() => page.evaluate(`document.querySelector('button[name=push]') === null`), {
    what: 'no fifth one to be offered',
  });
});

test('shows a viewer no button that would be refused, and the services refuse it', async () => {
  const started = await startConsoleWithMail();
  const { seen, url, openAs } = started;
  await furnish(started);
  const [anna] = (await seen.contacts.listContacts({})).contacts;
  const page = await openAs('viewer', 'Vera');
  for (const path of ['/people', `/people/${anna!.id}`]) {
    await page.open(url + path);
    await shows(page, 'Anna');
    expect(await buttons(page)).toEqual([]);
    expect(await text(page)).not.toContain('Add a person');
  }
  await page.open(`${url}/people/new`);
  await shows(page, 'There is no such person.');
  const outsider = await started.world.account();
  const theirs = await outsider.contact('Olga', { email: 'olga@example.org' });
  await page.open(`${url}/people/${theirs}`);
  await shows(page, 'There is no such person.');
  const refused = await page.evaluate<string>(`fetch('../rpc/tocsin.console.v1.ContactService/DeleteContact', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' },
    body: JSON.stringify({ contactId: ${JSON.stringify(anna!.id)} }),
  }).then(response => response.json()).then(({ code }) => code)`);
  expect(refused).toBe('permission_denied');
  expect((await refusal(seen.contacts.getContact({ contactId: theirs }))).code).toBe('NotFound');
});

test('members and people offer each other: whoever looks after it is also alerted, and whoever is alerted signs in', async () => {
  const started = await startConsoleWithMail();
  const { seen, url, openAs } = started;
  await furnish(started);
  const page = await openAs('owner', 'Otto');
  await page.open(`${url}/settings/members`);
  await press(page, 'Also alert Otto');
  await shows(page, 'A new person');
  expect(await page.evaluate(`document.querySelector('input[name=name]').value`)).toBe('Otto');
  await press(page, 'Add');
  await shows(page, 'Signs in as Owner');
  const all = async () => (await seen.contacts.listContacts({})).contacts;
  expect((await all()).find(({ name }) => name === 'Otto')?.channels[0]?.address).toBe('otto@example.com');
  await press(page, 'Signs in as Owner');
  await shows(page, 'Also alerted, as a person');

  const noah = (await all()).find(({ name }) => name === 'Noah')!;
  await page.open(`${url}/people/${noah.id}`);
  await press(page, 'Let Noah sign in');
  await eventually(() => page.evaluate(`document.activeElement?.value === 'noah@example.com'`), {
    what: 'their address',
  });
  await press(page, 'Send the invitation');
  await shows(page, 'noah@example.com is a member now');
  const { members } = await seen.members.listMembers({});
  expect(members.find(({ email }) => email === 'noah@example.com')).toMatchObject({ name: 'Noah', role: 'responder' });
  expect(await page.evaluate('location.search')).toBe('');
});
