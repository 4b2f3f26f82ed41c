import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
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

test('nothing moves for those who asked for that, not even while they wait', async () => {
  const console = await startConsole();
  const { world, url } = console;
  const { house } = await furnish(console);
  const page = await openConsole(url, world.operator, DESK);
  const moving = () => page.evaluate<number>('document.getAnimations().length');
  const ask = (value: string) =>
    page.ask('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value }] });
  await ask('reduce');
  for (const [screen, wanted] of [
    ['', 'In the way'],
    ['alarms?add=alarm', 'Add an alarm'],
    [`alarms/${house}`, 'Would it work?'],
    ['settings/doctor', 'This deployment'],
  ] as const) {
    await go(page, `${url}/${screen}`, wanted);
    expect(await moving(), screen).toBe(0);
  }
  await page.evaluate(HANG);
  await page.evaluate(`document.querySelector('nav.side a[href$="/people"]').click()`);
  await shows(page, 'Loading…');
  expect(await moving()).toBe(0);
  await ask('no-preference');
  await eventually(async () => (await moving()) > 0, { what: 'what shows the others that it goes on' });
});

test('every time is that of the account, which is named, and beside it the reader’s own where that is another', async () => {
  const { world, owner, line, url } = await startConsole();
  await world.get(`/v1/alarm/${await owner.alarm({ name: 'House' })}/arm/night`, await owner.key());
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);
  const foot = () => page.evaluate<string>(`document.querySelector('footer').innerText`);
  const titles = () => page.evaluate<string[]>(`[...document.querySelectorAll('main time')].map(({ title }) => title)`);
  await page.ask('Emulation.setTimezoneOverride', { timezoneId: 'America/New_York' });
  await go(page, url, 'Arm · House');
  await eventually(async () => (await foot()).includes('yours'), { what: 'the clock of the reader' });
  expect(await foot()).toMatch(/Up to date, \d\d:\d\d:\d\d Vienna\s+\(yours: \d\d:\d\d:\d\d New York\)/);
  expect(await titles()).not.toEqual([]);
  for (const title of await titles()) expect(title).toMatch(/\(Vienna\)\n.+\(New York\)$/s);
  await page.ask('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Vienna' });
  await go(page, url, 'Arm · House');
  await eventually(async () => (await foot()).includes('Vienna'), { what: 'the clock of the account' });
  expect(await foot()).not.toContain('yours');
  line.cut();
  await shows(page, 'Not up to date since');
  expect(await page.evaluate(`document.querySelector('#stale').innerText`)).toMatch(/since \d\d:\d\d:\d\d Vienna\./);
  expect(await foot()).toContain('Vienna');
});

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
