import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { DESK, furnish, openConsole, press, shows, startConsole, startConsoleWithMail } from './console-rig.ts';
import { faultsOf, go, IS_WAITING } from './looks-rig.ts';

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
  await shows(page, 'This could not be loaded');
  faults.push(...(await faultsOf(page, 'away')));
  line.mend();
  await press(page, 'Try again');
  await shows(page, 'Anna');

  await page.evaluate(HANG);
  await page.evaluate(`document.querySelector('nav.side a[href$="/incidents"]').click()`);
  await shows(page, 'Loading…');
  faults.push(...(await faultsOf(page, 'loading', IS_WAITING)));
  expect(faults).toEqual([]);
}, 300_000);

test('Home says of an alarm that is still in test that nobody would be told, and of its trigger that nobody is', async () => {
  const { world, owner, url } = await startConsoleWithMail();
  await world.rows("UPDATE location SET address = '1 Elm Street'");
  const people = [
    await owner.contact('Anna', { email: 'anna@example.com' }),
    await owner.contact('Noah', { email: 'noah@example.com' }),
  ];
  const contacts = people.map(contactId => ({ contactId, channels: ['email' as const] }));
  const bound = { policyId: await owner.policy([{ delayS: 0, contacts }]) };
  const modes = { home: bound, away: bound, night: bound, vacation: bound };
  await owner.alarm({ name: 'House', modes });
  const barn = await owner.alarm({ name: 'Barn', modes, test: true });
  const page = await openConsole(url, world.operator, DESK);
  await shows(page, 'Barn is still in test.');
  await shows(page, 'Nobody would be alerted');
  const faults = await faultsOf(page, 'home-in-test');
  await world.get(`/v1/alarm/${barn}/trigger`, await owner.key());
  await world.settle();
  await go(page, url, 'Barn is triggered in test. Nobody is alerted.');
  await shows(page, 'Triggered in test');
  faults.push(...(await faultsOf(page, 'home-test')));
  expect(faults).toEqual([]);
}, 300_000);
