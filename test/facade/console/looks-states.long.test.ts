import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { DESK, furnish, openConsole, press, shows, startConsole } from './console-rig.ts';
import { faultsOf } from './looks-rig.ts';

needsChromium();

/** From now on no call of the page is answered, and nothing in it gives up waiting. */
const HANG = `(() => {
  const { setTimeout: later } = window;
  window.setTimeout = (act, ms, ...rest) => (ms >= 3_000 ? 0 : later(act, ms, ...rest));
  window.fetch = () => new Promise(() => {});
})()`;

test('a screen that is loading, one that cannot be read and one that is not up to date can be read by everybody', async () => {
  const console = await startConsole();
  const { world, line, url } = console;
  await furnish(console);
  const page = await openConsole(url, world.operator, DESK);
  await shows(page, 'Workshop');
  const faults: string[] = [];
  line.cut();
  await shows(page, 'Not up to date since');
  faults.push(...(await faultsOf(page, 'stale')));
  await page.evaluate(`document.querySelector('nav.side a[href$="/people"]').click()`);
  await shows(page, 'This could not be read');
  faults.push(...(await faultsOf(page, 'away')));
  line.mend();
  await press(page, 'Try again');
  await shows(page, 'Anna');

  await page.evaluate(HANG);
  await page.evaluate(`document.querySelector('nav.side a[href$="/incidents"]').click()`);
  await shows(page, 'Loading…');
  faults.push(...(await faultsOf(page, 'loading')));
  expect(faults).toEqual([]);
}, 300_000);
