import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import { aHouse, DESK, openConsole, PHONE, press, shows, tick, type } from './console-rig.ts';
import { faultsOf } from './looks-rig.ts';

needsChromium();

test('a key leads to a screen, an alarm or a person by name, another says what keys do, and a device may do without them', async () => {
  const { world, url } = await aHouse();
  const page = await openConsole(url, world.operator, DESK);
  const hit = (key: string, how = '') =>
    page.evaluate(
      `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true, ${how} }))`,
    );
  const isOpen = () => page.evaluate<boolean>(`document.querySelector('dialog[open]') !== null`);
  const at = (wanted: string, heading: string) =>
    eventually(
      async () =>
        (await page.evaluate<string>('location.pathname')).startsWith(wanted) &&
        (await page.evaluate<string>(`document.activeElement.innerText`)) === heading,
      { what: `${wanted} with the keyboard at its heading` },
    );

  await hit('k', 'ctrlKey: true');
  await shows(page, 'Screen, alarm, person, policy or duty');
  await type(page, 'input[name=jump]', 'workSHOP');
  await shows(page, '1 place');
  await page.evaluate(`document.querySelector('.jump').requestSubmit()`);
  await at('/alarms/', 'Workshop');
  expect(await isOpen()).toBe(false);

  await hit('/');
  await type(page, 'input[name=jump]', 'noah');
  await shows(page, '1 place');
  await hit('ArrowDown');
  await page.evaluate('document.activeElement.click()');
  await at('/people/', 'Noah');

  // A slash that is written is no shortcut.
  await page.open(`${url}/alarms`);
  await type(page, 'input[name=search]', 'x');
  await hit('/');
  expect(await isOpen()).toBe(false);
  await page.evaluate('document.activeElement.blur()');
  await hit('?');
  await shows(page, 'Keyboard shortcuts');
  await tick(page, 'dialog .toggle input');
  await page.key('Escape');
  await eventually(async () => !(await isOpen()), { what: 'the sheet to close' });
  await hit('/');
  expect(await isOpen()).toBe(false);
  await hit('k', 'metaKey: true');
  await shows(page, 'Go to');
});

test('the search for anything can be read and used by everybody, by a button too', async () => {
  const { world, url } = await aHouse();
  const page = await openConsole(url, world.operator, DESK);
  await page.tap('.side .find');
  await shows(page, 'Workshop');
  const faults = await faultsOf(page, 'jump');
  await type(page, 'input[name=jump]', 'castle');
  await shows(page, 'Nothing is called so.');
  faults.push(...(await faultsOf(page, 'jump-none')));
  await press(page, 'Keyboard shortcuts');
  await shows(page, 'Keys without Ctrl');
  faults.push(...(await faultsOf(page, 'shortcuts')));
  await press(page, 'Close');
  await page.turnTo(PHONE);
  await page.tap('.bar summary');
  await page.tap('.bar .find');
  await shows(page, 'Screen, alarm, person, policy or duty');
  expect(faults).toEqual([]);
}, 120_000);
