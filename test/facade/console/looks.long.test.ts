import { expect, test } from 'vitest';
import { needsChromium, openPage } from '../../support/chromium.ts';
import { DESK, furnish, openConsole, shows, startConsole } from './console-rig.ts';
import { faultsOf, go } from './looks-rig.ts';

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
  for (const path of ['arm/night', 'trigger', 'trigger', 'trigger/none'])
    await world.get(`/v1/alarm/${house}/${path}`, key);
  await world.settle();
  await go(page, url, 'House — Night');
  await shows(page, 'Workshop');
  faults.push(...(await faultsOf(page, 'home')));
  await page.tap('.acknowledge');
  await shows(page, 'Acknowledge House — Night?');
  faults.push(...(await faultsOf(page, 'confirm')));
  await go(page, `${url}/incidents`, 'House — Night');
  faults.push(...(await faultsOf(page, 'incidents')));
  const [incident] = await owner.incidents();
  await go(page, `${url}/incidents/${incident!.id}`, 'What happened');
  faults.push(...(await faultsOf(page, 'incident')));
  await go(page, `${url}/calls`, 'Unknown mode');
  faults.push(...(await faultsOf(page, 'calls')));
  expect(faults).toEqual([]);
}, 300_000);

test('a hostile name is text on every screen: no script runs, and nothing is loaded for it', async () => {
  const hostile = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>\u202E}';
  const console = await startConsole();
  const { world, owner, url } = console;
  const { house, key } = await furnish(console, hostile);
  await world.rows('UPDATE location SET name = $1', [hostile]);
  await world.rows('UPDATE account SET name = $1 WHERE id = $2', [hostile, owner.accountId]);
  await world.get(`/v1/alarm/${house}/trigger/away`, key);
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);
  const [incident] = await owner.incidents();
  for (const path of ['', '/incidents', `/incidents/${incident!.id}`, '/calls']) {
    await page.open(url + path);
    await shows(page, '<img src=x');
    expect(await page.evaluate('[window.hit, document.images.length]')).toEqual([null, 0]);
  }
  expect(page.complaints.filter(complaint => !complaint.includes('401'))).toEqual([]);
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
