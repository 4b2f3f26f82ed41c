import { expect, test } from 'vitest';
import { RECIPE_NAMES } from '../../../facade/recipes/recipes.ts';
import { all as inAllModes } from '../../rpc/readiness/readiness-rig.ts';
import { responderOf, tokenOf } from '../../rpc/responder/responder-rig.ts';
import { needsChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import {
  buttons,
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

/** The text for what calls, as it is shown. */
const RECIPE = `document.querySelector('.recipe textarea').value`;

test('a double tap makes one place, and the key stays on the page until somebody says that they have it', async () => {
  const { world, owner, seen, url, openAs } = await startConsoleWithMail();
  await world.rows('DELETE FROM location WHERE id = $1', [owner.locationId]);
  const page = await openAs('owner', 'Otto');
  await page.open(`${url}/start`);
  await shows(page, 'Add the place');
  // The second tap comes before the first is answered, and one more after it, before the next step is read.
  await page.evaluate(`(() => {
    const form = document.querySelector('main form');
    const tap = () => form.isConnected && form.requestSubmit();
    new MutationObserver(() => form.innerText.includes('Saved.') && tap()).observe(form, { childList: true, subtree: true });
    tap(), tap();
  })()`);
  await shows(page, 'Add this person');
  expect(await seen.locations.listLocations({})).toMatchObject({ locations: [{ name: 'Home' }] });

  const { locationId } = { locationId: (await seen.locations.listLocations({})).locations[0]!.id };
  const { contact } = await seen.contacts.createContact({
    contact: { name: 'Anna', channels: [{ channel: 'webhook', address: 'https://example.com/hook' }] },
  });
  const told = [{ contactId: contact!.id, channels: ['webhook'] }];
  await seen.policies.createPolicy({ policy: { name: 'Anna first', steps: [{ delayS: 0, contacts: told }] } });
  await press(page, 'Add the alarm');
  const find = async () => (await seen.alarms.listAlarms({})).alarms;
  await eventually(async () => (await find()).length === 1, { what: 'the alarm' });
  const [alarm] = await find();
  expect(alarm).toMatchObject({ locationId, test: true, onlyWhenArmed: false, clearOnDisarm: true });
  expect(alarm!.modes.map(({ windowS }) => windowS)).toEqual([0, 30, 0, 0]);

  await type(page, 'input[name=device]', 'Front door camera');
  await press(page, 'Create a key');
  await shows(page, 'Waiting for the first call.');
  const [secret] = /toc_\w+/.exec(await page.evaluate<string>(RECIPE))!;
  expect((await world.get(`/v1/alarm/${alarm!.id}/trigger`, secret)).status).toBe(202);
  await world.settle();
  await shows(page, 'It arrived:');
  expect(await page.evaluate(RECIPE)).toContain(secret);
  await press(page, 'I have it');
  await shows(page, 'Rehearse, then go live');
  await eventually(async () => (await buttons(page)).includes('Go live'), { what: 'the next step' });
  expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain(secret);
  expect(await page.evaluate(`document.querySelector('.recipe')`)).toBe(null);
  expect((await seen.apiKeys.listApiKeys({})).apiKeys).toMatchObject([{ label: 'Front door camera' }]);
});

test('who may not set anything up is not led there, by no address either, and no editor to a key', async () => {
  const started = await startConsoleWithMail();
  const { url, openAs } = started;
  for (const [role, name] of [
    ['viewer', 'Vera'],
    ['responder', 'Rita'],
  ] as const) {
    const page = await openAs(role, name);
    await shows(page, 'An owner or an editor of the account sets up the first one.');
    expect(await text(page)).not.toContain('Begin');
    await page.open(`${url}/start`);
    await shows(page, 'There is nothing here.');
    await page.open(`${url}/incidents`);
    await shows(page, 'None yet.');
    expect((await text(page)).includes('Rehearse one'), role).toBe(role === 'responder');
    for (const add of ['alarm', 'panic_button', 'location']) {
      await page.open(`${url}/alarms?add=${add}`);
      await shows(page, 'No alarm yet');
      expect(await page.evaluate(`document.querySelector('dialog')`), `${role} ${add}`).toBe(null);
    }
  }
  await furnish(started);
  const page = await openAs('editor', 'Edda');
  await page.open(`${url}/start`);
  await shows(page, 'Only an owner of the account can create API keys.');
  expect(await buttons(page)).toEqual(['Later']);
}, 120_000);

test('the last step is the first drill: answered as an alarm would be, it proves that it wakes them', async () => {
  const { world, owner, url, openAs, seen } = await startConsoleWithMail();
  const anna = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['email'] }] }]);
  const alarm = await owner.alarm({ name: 'House', modes: inAllModes(policyId) });
  await world.get(`/v1/alarm/${alarm}/disarm`, await owner.key());
  await world.settle();
  const page = await openAs('owner', 'Otto');
  await page.open(`${url}/start`);
  await shows(page, 'Does it wake them?');
  await shows(page, 'A drill rings Anna as an alarm would');
  await press(page, 'Ask for an answer');
  await shows(page, 'A drill is on its way.');
  await world.settle();
  const [delivery] = await world.rows<{ id: string }>('SELECT id FROM delivery');
  await responderOf(world).acknowledgeByLink({ token: tokenOf(delivery!) });
  await shows(page, 'It is live.');
  const { contact } = await seen.contacts.getContact({ contactId: anna });
  expect(contact!.channels).toMatchObject([{ provenAt: expect.anything() }]);
});

test('what is in the way of a live alert is said before it goes live, with where to mend each, and never called done after', async () => {
  const { world, owner, url } = await startConsole({ publicUrl: 'http://localhost:8080' });
  const anna = await owner.contact('Anna', { email: 'anna@example.com', webhook: 'https://example.com/hook' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['email', 'webhook'] }] }]);
  const alarm = await owner.alarm({ name: 'House', modes: inAllModes(policyId), test: true });
  await world.get(`/v1/alarm/${alarm}/trigger`, await owner.key());
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/start`);
  await shows(page, 'Still in the way of a live alert');
  const mends = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('.in-the-way .finding')].map(one =>
      one.querySelector('b').innerText + ': ' + new URL(one.querySelector('.mend').href).pathname + new URL(one.querySelector('.mend').href).hash)`);
  const found = [
    'Nobody else can open the links: /settings/doctor#links',
    'A channel has no carrier: /operator/carriers#carries-email',
  ];
  expect(await mends()).toEqual(found);
  await press(page, 'Go live');
  await shows(page, 'From then on');
  await press(page, 'Go live');
  await shows(page, 'No drill can be sent there now.');
  await press(page, 'Later');
  await shows(page, 'It is live, but something is in the way.');
  expect(await mends()).toEqual(found);
  expect(await text(page)).not.toContain('You are done here.');
});

test('what calls is chosen among tiles: its text has the key and the address of the deployment, whichever is chosen', async () => {
  const { world, owner, url } = await startConsole({ publicUrl: 'https://alarm.example/tocsin' });
  const anna = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['email'] }] }]);
  const alarm = await owner.alarm({ name: 'House', modes: inAllModes(policyId), test: true });
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/start`);
  await shows(page, 'Which device is it?');
  const tiles = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.tiles label')].map(one => one.innerText.trim())`,
  );
  expect(tiles).toHaveLength(RECIPE_NAMES.length);
  const take = (name: string) =>
    page.evaluate(
      `[...document.querySelectorAll('.tiles label')].find(one => one.innerText.trim() === '${name}').click()`,
    );
  await take('Gatus');
  await eventually(() => page.evaluate(`document.querySelector('input[name=device]').value === 'Gatus'`), {
    what: 'the name of the device',
  });
  await press(page, 'Create a key');
  await shows(page, 'Waiting for the first call.');
  const address = `https://alarm.example/tocsin/v1/alarm/${alarm}/trigger`;
  const first = await page.evaluate<string>(RECIPE);
  expect(first).toContain(`url: ${address}`);
  const [secret = ''] = /toc_\w+/.exec(first)!;
  await take('UniFi Protect');
  await eventually(async () => (await page.evaluate<string>(RECIPE)).includes(`Delivery URL: ${address}`), {
    what: 'the other text',
  });
  expect(await page.evaluate(RECIPE)).toContain(secret);
});

test('who has no terminal calls from the page: the very call of a device, with the key shown and no session, in test alone', async () => {
  const { world, owner, url, seen, openAs } = await startConsoleWithMail();
  const anna = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['email'] }] }]);
  const alarm = await owner.alarm({ name: 'House', modes: inAllModes(policyId), test: true });
  const page = await openAs('owner', 'Otto');
  await page.open(`${url}/start`);
  await press(page, 'Create a key');
  await shows(page, 'Call it from here');
  await page.evaluate(`(() => {
    const ask = window.fetch;
    window.asked = [];
    window.fetch = (to, how) => (window.asked.push({ to: String(to.url ?? to), how }), ask(to, how));
  })()`);
  const { apiKeys } = await seen.apiKeys.listApiKeys({});
  await press(page, 'Call it from here');
  await shows(page, 'The answer is 202: accepted.');
  await world.settle();
  await shows(page, 'It arrived:');
  const asked = await page.evaluate<{ to: string; how: { credentials: string; method?: string; body?: string } }[]>(
    `window.asked.filter(({ to }) => to.includes('/v1/'))`,
  );
  expect(asked).toMatchObject([{ to: `${url}/v1/alarm/${alarm}/trigger`, how: { credentials: 'omit' } }]);
  expect(await owner.incidents()).toMatchObject([{ environment: 'test', trippedBy: [apiKeys[0]!.label] }]);

  await seen.apiKeys.revokeApiKey({ apiKeyId: apiKeys[0]!.id });
  await press(page, 'Call it from here');
  await shows(page, 'The answer is 401: ');
  await seen.alarms.updateAlarm({
    alarm: { id: alarm, version: (await seen.alarms.getAlarm({ alarmId: alarm })).alarm!.version, test: false },
    updateMask: { paths: ['test'] },
  });
  await eventually(async () => !(await text(page)).includes('Call it from here'), { what: 'the button to go' });
});

test('an address that the operator types is not ticked: it waits for the code that went there, and nothing goes live unnoticed', async () => {
  const { world, owner, url } = await startConsole();
  await owner.alarm({ name: 'House', test: true });
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/start`);
  await type(page, 'input[name=person]', 'Anna');
  await type(page, 'input[name=email]', 'x@exmaple.invalid');
  await press(page, 'Add this person');
  await shows(page, 'Send the code');
  const verify = await page.evaluate<string>(
    `[...document.querySelectorAll('.start > li')].find(one => one.innerText.includes('Does it reach them?')).className`,
  );
  expect(verify).toBe('now');
  expect(await world.rows('SELECT verified_at FROM contact_channel')).toEqual([{ verified_at: null }]);
});
