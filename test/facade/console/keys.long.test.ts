import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import { choose, press, shows, startConsoleWithMail, text, type } from './console-rig.ts';

needsChromium();

/** The secret that is shown now. */
const secretOf = (page: Page) => page.evaluate<string>(`document.querySelector('.secret code').innerText`);

/** All that a page keeps or says of itself, and what its history holds. */
const keptBy = (page: Page) =>
  page.evaluate<string>(`JSON.stringify([
    document.documentElement.outerHTML, location.href, document.cookie,
    { ...localStorage }, { ...sessionStorage }, history.state, document.title,
    [...document.querySelectorAll('input')].map(({ value }) => value),
  ])`);

test('creates a key for one alarm, shows it once with a curl line that works, and never again', async () => {
  const { world, owner, seen, url, openAs } = await startConsoleWithMail();
  const beside = await world.account();
  const barn = await owner.alarm({ name: 'Barn' });
  const house = await owner.alarm({ name: 'House' });
  const page = await openAs('owner', 'Otto');
  await page.open(`${url}/keys`);
  await shows(page, 'No key yet');
  await press(page, 'Create a key');
  await press(page, 'Create the key');
  await shows(page, 'Takes 1 to 100 characters');
  await type(page, 'input[name=label]', 'Camera');
  await choose(page, 'form select', 'Only Barn');
  await press(page, 'Create the key');
  await shows(page, 'It is shown only once.');
  const secret = await secretOf(page);
  expect(secret).toMatch(/^toc_[A-Za-z0-9]{36}$/);
  expect(await text(page)).toContain(`curl -H "X-API-Key: ${secret}" ${url}/v1/integration/describe`);
  expect(await page.evaluate('location.href')).toBe(`${url}/keys`);
  expect((await world.get('/v1/integration/describe', secret)).status).toBe(200);
  expect((await world.get(`/v1/alarm/${barn}/arm/night`, secret)).status).toBe(202);
  expect((await world.get(`/v1/alarm/${house}/arm/night`, secret)).status).toBe(404);
  const [key] = (await seen.apiKeys.listApiKeys({})).apiKeys;
  expect(key).toMatchObject({ label: 'Camera', alarmId: barn, status: 'active' });

  await page.evaluate(`document.querySelector('nav.side a[href$="/people"]').click()`);
  await shows(page, 'Add yourself first.');
  expect(await keptBy(page)).not.toContain(secret);
  await page.evaluate('history.back()');
  await shows(page, 'Only Barn');
  expect(await keptBy(page)).not.toContain(secret);
  expect(await text(page)).toContain(`ends in ${secret.slice(-4)}`);
  expect((await seen.apiKeys.listApiKeys({})).apiKeys).toHaveLength(1);
  expect(await world.rows('SELECT id FROM api_key WHERE account_id = $1', [beside.accountId])).toEqual([]);
});

test('a key is named after its device, and has a link to look: the page refuses what is none, and shows the other', async () => {
  const { owner, seen, url, openAs } = await startConsoleWithMail();
  await owner.alarm({ name: 'House' });
  const page = await openAs('owner', 'Otto');
  await page.open(`${url}/keys`);
  await press(page, 'Create a key');
  await type(page, 'input[name=label]', 'Front door camera');
  await type(page, 'input[name=look]', 'https://anna:secret@cameras.example.com/');
  await press(page, 'Create the key');
  await shows(page, 'Takes an https URL without a login');
  await type(page, 'input[name=look]', 'https://cameras.example.com/front');
  await press(page, 'Create the key');
  await shows(page, 'Look here: https://cameras.example.com/front');
  const link = `[...document.querySelectorAll('main a[target=_blank]')].map(({ href, rel }) => [href, rel])`;
  expect(await page.evaluate(link)).toEqual([['https://cameras.example.com/front', 'noopener noreferrer']]);
  await press(page, 'I have it');
  await press(page, 'Edit');
  await type(page, 'input[name=look]', '');
  await press(page, 'Save');
  await eventually(async () => !(await text(page)).includes('Look here: https'), { what: 'the link to be gone' });
  expect((await seen.apiKeys.listApiKeys({})).apiKeys).toMatchObject([{ label: 'Front door camera', lookUrl: '' }]);
});

test('a key for one alarm may trigger it if it falls silent; one for the whole account is not offered that', async () => {
  const { owner, seen, url, openAs } = await startConsoleWithMail();
  await owner.alarm({ name: 'House' });
  const page = await openAs('owner', 'Otto');
  await page.open(`${url}/keys`);
  await press(page, 'Create a key');
  await type(page, 'input[name=label]', 'Camera');
  await choose(page, 'select[name=supervision]', '300');
  expect(await text(page)).not.toContain('If it falls silent');
  await choose(page, 'form select', 'Only House');
  await choose(page, 'select[name=on-silence]', 'Tell them and trigger its alarm');
  await press(page, 'Create the key');
  await shows(page, 'It is shown only once.');
  const [key] = (await seen.apiKeys.listApiKeys({})).apiKeys;
  expect(key).toMatchObject({ supervisionS: 300, onSilence: 'alert' });
  await press(page, 'I have it');
  await shows(page, 'Tell them and trigger its alarm');
  await press(page, 'Edit');
  await choose(page, 'select[name=on-silence]', 'Tell the owners');
  await press(page, 'Save');
  await eventually(async () => (await seen.apiKeys.listApiKeys({})).apiKeys[0]!.onSilence === 'notify', {
    what: 'the change to be stored',
  });
});

test('renews a key with an overlap, says what revoking stops, and a device is refused afterwards', async () => {
  const { world, owner, seen, url, openAs } = await startConsoleWithMail();
  const alarm = await owner.alarm({ name: 'House' });
  const before = await owner.key();
  await world.get(`/v1/alarm/${alarm}/arm/night`, before);
  await world.settle();
  const page = await openAs('owner', 'Otto');
  await page.open(`${url}/keys`);
  await shows(page, 'Last used');
  await shows(page, 'from 127.0.0.1');
  await press(page, 'Rotate');
  await shows(page, 'Rotate A key?');
  await press(page, 'Rotate');
  await shows(page, 'It is shown only once.');
  const after = await secretOf(page);
  await press(page, 'I have it');
  await eventually(async () => !(await keptBy(page)).includes(after), { what: 'the secret to be gone' });
  for (const secret of [before, after]) expect((await world.get('/v1/integration/state', secret)).status).toBe(200);
  await shows(page, 'works until');

  await press(page, 'Edit');
  await type(page, 'input[name=label]', 'The house');
  await press(page, 'Save');
  await shows(page, 'The house');
  await press(page, 'Revoke');
  await shows(page, 'Revoke The house?');
  await shows(page, 'Whoever used it last cannot arm, disarm or trigger from then on: from 127.0.0.1');
  await press(page, 'Revoke');
  await shows(page, 'No key works now.');
  for (const secret of [before, after]) expect((await world.get('/v1/integration/state', secret)).status).toBe(401);
  await choose(page, '.filters select', 'All');
  await shows(page, 'Revoked');
  expect(await page.evaluate('location.search')).toBe('?listed=all');
  expect((await seen.apiKeys.listApiKeys({})).apiKeys[0]).toMatchObject({ label: 'The house', status: 'revoked' });
});

test('a new name leaves the end of a key as it is, and a new last day is one of the account’s clocks', async () => {
  const { world, owner, seen, url, openAs } = await startConsoleWithMail();
  await owner.key();
  await world.rows(`UPDATE account SET owner_time_zone = 'America/Los_Angeles' WHERE id = $1`, [owner.accountId]);
  const stored = async () => (await seen.apiKeys.listApiKeys({})).apiKeys[0]!;
  const endOf = async () => timestampDate((await stored()).expiresAt!).toISOString();
  // There it is still the second of the month.
  const expiresAt = timestampFromDate(new Date('2031-05-03T04:05:06Z'));
  await seen.apiKeys.updateApiKey({
    apiKey: { ...(await stored()), expiresAt },
    updateMask: { paths: ['expires_at'] },
  });
  const page = await openAs('owner', 'Otto');
  await page.open(`${url}/keys`);
  await shows(page, '2 May 2031, 21:05');
  await press(page, 'Edit');
  await type(page, 'input[name=label]', 'The house');
  expect(await page.evaluate(`document.querySelector('input[name=expires]').value`)).toBe('2031-05-02');
  await press(page, 'Save');
  await eventually(async () => (await stored()).label === 'The house', { what: 'the name to be stored' });
  expect(await endOf()).toBe('2031-05-03T04:05:06.000Z');
  await press(page, 'Edit');
  await type(page, 'input[name=expires]', '2031-05-04');
  await press(page, 'Save');
  await shows(page, '4 May 2031, 23:59');
  expect(await endOf()).toBe('2031-05-05T06:59:59.000Z');
});

test('shows an editor no button that would be refused, and the services refuse it', async () => {
  const { owner, seen, url, openAs } = await startConsoleWithMail();
  await owner.key();
  const [key] = (await seen.apiKeys.listApiKeys({})).apiKeys;
  const page = await openAs('editor', 'Edda');
  await page.open(`${url}/keys`);
  await shows(page, 'A key');
  expect(await page.evaluate(`document.querySelectorAll('main button:not(th button)').length`)).toBe(0);
  const refused = await page.evaluate<string>(`fetch('rpc/tocsin.console.v1.ApiKeyService/RevokeApiKey', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' },
    body: JSON.stringify({ apiKeyId: ${JSON.stringify(key!.id)} }),
  }).then(response => response.json()).then(({ code }) => code)`);
  expect(refused).toBe('permission_denied');
  expect((await seen.apiKeys.listApiKeys({})).apiKeys[0]!.status).toBe('active');
});
