import { expect, test } from 'vitest';
import { needsChromium, openPage } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { DESK, furnish, openConsole, PHONE, press, shows, startConsole } from './console-rig.ts';
import { faultsOf, go, sidewaysNow } from './looks-rig.ts';

needsChromium();

test('every screen can be read and used by everybody: axe finds nothing, light and dark, phone and desktop', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  const stranger = await openPage(url, DESK);
  await shows(stranger, 'Email me a code');
  const faults = await faultsOf(stranger, 'sign-in');

  const page = await openConsole(url, world.operator, DESK);
  await shows(page, 'Nothing is set up yet.');
  await shows(page, 'Nothing has called yet.');
  faults.push(...(await faultsOf(page, 'home-empty')));
  await go(page, `${url}/start`, 'Your first alarm');
  faults.push(...(await faultsOf(page, 'start')));
  await go(page, `${url}/incidents`, 'None yet.');
  faults.push(...(await faultsOf(page, 'incidents-empty')));
  await go(page, `${url}/calls`, 'Nothing has called yet.');
  faults.push(...(await faultsOf(page, 'calls-empty')));
  await go(page, `${url}/incidents/${'a'.repeat(32)}`, 'There is no such incident.');
  faults.push(...(await faultsOf(page, 'incident-gone')));

  const { house, workshop, key } = await furnish(console);
  await world.get(`/v1/alarm/${workshop}/arm/night`, key);
  for (const path of ['arm/night', 'trigger/none']) await world.get(`/v1/alarm/${house}/${path}`, key);
  const { apiKeys } = consoleOf(world, world.operator, owner.accountId);
  for (const label of ['Front door camera', 'Hall motion', 'Kitchen window']) {
    const { secret } = await apiKeys.createApiKey({ apiKey: { label } });
    await world.get(`/v1/alarm/${house}/trigger`, secret);
  }
  await world.settle();
  await go(page, url, 'House — Night');
  await shows(page, 'Tripped by Front door camera, then Hall motion, Kitchen window');
  await shows(page, 'Workshop');
  faults.push(...(await faultsOf(page, 'home')));
  await page.tap('.acknowledge');
  await shows(page, 'Acknowledge House — Night?');
  faults.push(...(await faultsOf(page, 'confirm')));
  await go(page, `${url}/incidents`, 'House — Night');
  faults.push(...(await faultsOf(page, 'incidents')));
  await page.evaluate(`document.querySelector('main li input[type=checkbox]').click()`);
  await shows(page, '1 selected');
  faults.push(...(await faultsOf(page, 'incidents-picked')));
  const [incident] = await owner.incidents();
  await go(page, `${url}/incidents/${incident!.id}`, 'What happened');
  faults.push(...(await faultsOf(page, 'incident')));
  await press(page, 'Hand over');
  await shows(page, 'To whom');
  faults.push(...(await faultsOf(page, 'incident-hand-over')));
  await press(page, 'Cancel');
  await press(page, 'Write a note');
  await shows(page, 'Save the note');
  faults.push(...(await faultsOf(page, 'incident-note')));
  await press(page, 'Cancel');
  await go(page, `${url}/calls`, 'Unknown mode');
  faults.push(...(await faultsOf(page, 'calls')));
  expect(faults).toEqual([]);
}, 300_000);

test('what is wider than a phone is seen, though its browser makes the page as wide', async () => {
  const { world, url } = await startConsole();
  const page = await openConsole(url, world.operator, { ...PHONE, width: 320 });
  await shows(page, 'Nothing has called yet.');
  expect(await sidewaysNow(page, 'home')).toEqual([]);
  await page.evaluate(`(() => {
    const wide = document.createElement('div');
    wide.style.width = '600px';
    document.querySelector('main').append(wide);
  })()`);
  expect(await page.evaluate('innerWidth')).toBeGreaterThan(600);
  expect(await sidewaysNow(page, 'home')).toHaveLength(1);
});

test('speaks German to those who read German, and says so to screen readers', async () => {
  const { world, url } = await startConsole();
  const page = await openConsole(url, world.operator, DESK);
  await page.evaluate(`(() => {
    const choice = [...document.querySelectorAll('.side select')].at(-1);
    choice.value = 'de';
    choice.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);
  await shows(page, 'Noch wird nichts überwacht.');
  expect(await page.evaluate('document.documentElement.lang')).toBe('de');
  await page.open(`${url}/incidents`);
  await shows(page, 'Vorfälle');
});
