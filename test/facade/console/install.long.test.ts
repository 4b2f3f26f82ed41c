import { expect, test } from 'vitest';
import { needsChromium, openPage, type Page } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import { furnish, PHONE, press, shows, signIn, startConsole, text } from './console-rig.ts';
import { faultsOf } from './looks-rig.ts';

needsChromium();

/** A console on a telephone, which is touched, and counts on its icon. `before`: what its browser is, besides. */
async function onPhone(before: (page: Page) => Promise<void> = async () => {}) {
  const started = await startConsole();
  const ids = await furnish(started);
  const page = await openPage(`${started.url}/icon.svg`, PHONE);
  await page.ask('Emulation.setTouchEmulationEnabled', { enabled: true });
  await page.ask('Page.addScriptToEvaluateOnNewDocument', {
    source: 'navigator.setAppBadge = async count => { window.badge = count; };',
  });
  await before(page);
  await page.open(started.url);
  await signIn(page, started.world.operator);
  await shows(page, 'Up to date');
  return { ...started, ...ids, page };
}

/** The browser offers to put the page on the home screen, as it does once, early. */
const offer = (page: Page) =>
  page.evaluate(`dispatchEvent(Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
    prompt: async () => { window.asked = (window.asked ?? 0) + 1; } })), 0`);

test('a phone is offered the app once its browser offers it; whoever presses is asked by the browser', async () => {
  const { page } = await onPhone();
  expect(await text(page)).not.toContain('Tocsin on your home screen');
  await offer(page);
  await shows(page, 'Tocsin on your home screen');
  expect(await faultsOf(page, 'home-install')).toEqual([]);
  await page.turnTo(PHONE);
  await press(page, 'Add it');
  expect(await page.evaluate('window.asked')).toBe(1);
  await eventually(async () => !(await text(page)).includes('Tocsin on your home screen'), { what: 'the offer to go' });
}, 300_000);

test('an iPhone is told how, and whoever does not want it is not asked again', async () => {
  const { page, url } = await onPhone(async page => {
    const userAgent =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Mobile/15E148 Safari/604.1';
    await page.ask('Emulation.setUserAgentOverride', { userAgent });
  });
  await shows(page, 'Press Share, then "Add to Home Screen"');
  await press(page, 'No, thanks');
  await page.open(url);
  await shows(page, 'Up to date');
  await shows(page, 'House');
  expect(await text(page)).not.toContain('Press Share');
}, 300_000);

test('the icon counts the incidents that need somebody', async () => {
  const { page, world, house, key, owner } = await onPhone();
  await eventually(() => page.evaluate<boolean>('window.badge === 0'), { what: 'no count on the icon' });
  await world.get(`/v1/alarm/${house}/arm`, key);
  await world.get(`/v1/alarm/${house}/trigger`, key);
  await world.settle();
  await eventually(() => page.evaluate<boolean>('window.badge === 1'), { what: 'one on the icon' });
  const [open] = await owner.incidents();
  const { incidents } = consoleOf(world, world.operator, owner.accountId);
  await incidents.acknowledge({ incidentId: open!.id });
  await eventually(() => page.evaluate<boolean>('window.badge === 0'), {
    what: 'the count to go once somebody has it',
  });
}, 300_000);
