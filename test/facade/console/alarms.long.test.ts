import { timestampDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import {
  aHouse,
  DESK,
  furnish,
  openConsole,
  press,
  shows,
  startConsole,
  startConsoleWithMail,
  text,
  tick,
  type,
} from './console-rig.ts';
import { byKeyboard } from './hands.ts';

needsChromium();

test('from nothing to a first alarm with three fields by keyboard alone, and to a panic button in its owner’s words', async () => {
  const { world, owner, url } = await startConsole();
  const anna = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['email'] }] }]);
  await world.rows('DELETE FROM location WHERE id = $1', [owner.locationId]);
  const seen = consoleOf(world, world.operator, owner.accountId);
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/alarms`);
  await shows(page, 'No alarm yet');
  const { taps, writes, chooses } = byKeyboard(page);
  await taps('Add your first alarm');
  await writes('dialog input[name=name]', 'House');
  await chooses('dialog select[name=location]', 'A new location…');
  await writes('dialog input[name=place]', 'Home');
  await shows(page, 'It alerts only when armed, a disarm ends its incident, and in mode Away it waits 30 seconds');
  await taps('Add');
  await shows(page, 'Would it work?');
  const { alarms } = await seen.alarms.listAlarms({});
  const { locations } = await seen.locations.listLocations({});
  expect(locations).toMatchObject([{ name: 'Home' }]);
  const begins = { test: true, onlyWhenArmed: true, clearOnDisarm: true };
  expect(alarms).toMatchObject([{ name: 'House', locationId: locations[0]!.id, ...begins }]);
  expect(alarms[0]!.modes.map(({ id, windowS }) => [id, windowS])).toEqual([
    ['home', 0],
    ['away', 30],
    ['night', 0],
    ['vacation', 0],
  ]);
  expect(alarms[0]!.modes.map(mode => mode.policyId)).toEqual([policyId, policyId, policyId, policyId]);
  await shows(page, 'Waiting for its first call…');

  await page.open(`${url}/alarms?add=panic_button`);
  await writes('dialog input[name=name]', 'Bedside');
  await chooses('dialog select[name=responseKind]', 'Something else');
  await writes('dialog input[name=responseText]', 'x'.repeat(41));
  await taps('Add');
  const wrong = () => page.evaluate<string>(`document.querySelector('dialog .wrong')?.innerText ?? ''`);
  await eventually(async () => (await wrong()).includes('40'), { what: 'the sentence beside the field' });
  expect(await page.evaluate(`document.querySelector('dialog input[name=name]').value`)).toBe('Bedside');
  await writes('dialog input[name=responseText]', 'Bring the oxygen');
  await taps('Add');
  await shows(page, 'Would it work?');
  const { panicButtons } = await seen.panicButtons.listPanicButtons({});
  expect(panicButtons).toMatchObject([
    { name: 'Bedside', responseKind: 'other', responseText: 'Bring the oxygen', policyId },
  ]);
});

test('everything by location with its state, found by name; many are put in test at once, and go live again', async () => {
  const { world, owner, url, house, key, seen } = await aHouse();
  const stranger = await world.account();
  const other = await stranger.alarm({ name: 'House' });
  await world.get(`/v1/alarm/${house}/arm/night`, key);
  const [garage] = (await seen.alarms.listAlarms({ search: 'Garage' })).alarms;
  await world.get(`/v1/alarm/${garage!.id}/trigger`, key);
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/alarms`);
  for (const wanted of [
    'Home',
    'Armed: Night',
    'Garage',
    'Triggered in test',
    'Not ready',
    'Panic button',
    'Arm, ',
    'No call lately',
  ])
    await shows(page, wanted);
  await type(page, 'input[name=search]', 'shop');
  await eventually(async () => !(await text(page)).includes('Garage'), { what: 'the others to go' });
  expect(await page.evaluate('location.search')).toBe('?search=shop');
  await shows(page, 'Workshop');
  await type(page, 'input[name=search]', 'castle');
  await shows(page, 'No alarm or panic button matches.');
  await press(page, 'Clear the filters');
  await shows(page, 'Garage');

  const testOf = async () => {
    const { alarms } = await seen.alarms.listAlarms({});
    return Object.fromEntries(alarms.map(({ name, test }) => [name, test]));
  };
  for (const name of ['House', 'Workshop', 'Bedside']) await tick(page, `input[aria-label="Select ${name}"]`);
  await shows(page, '3 selected');
  // Somebody else changes one of them in between: their change stays.
  const [stored] = (await seen.alarms.listAlarms({ search: 'Workshop' })).alarms;
  await seen.alarms.updateAlarm({ alarm: { ...stored!, name: 'Work shop' }, updateMask: { paths: ['name'] } });
  await press(page, 'Put in test');
  await shows(page, 'Put 3 in test?');
  await tick(page, 'input[name=test-for]');
  await press(page, 'Put in test');
  await eventually(async () => !(await text(page)).includes('3 selected'), { what: 'the end of it' });
  expect(await testOf()).toEqual({ House: true, 'Work shop': true, Garage: true });
  expect((await seen.panicButtons.listPanicButtons({})).panicButtons).toMatchObject([{ test: true }]);
  const [house1h] = (await seen.alarms.listAlarms({ search: 'House' })).alarms;
  expect(timestampDate(house1h!.testUntil!).toISOString()).toBe('2026-01-15T21:00:00.000Z');
  await page.open(`${url}/alarms/${house}`);
  await shows(page, 'In test until');
  await page.open(`${url}/alarms`);
  await shows(page, 'Garage');
  await tick(page, 'input[aria-label="Select House"]');
  await press(page, 'Go live');
  await shows(page, 'A trigger then alerts people: House.');
  await press(page, 'Go live');
  await eventually(async () => (await testOf()).House === false, { what: 'House to be live' });
  const others = consoleOf(world, world.operator, stranger.accountId);
  expect((await others.alarms.getAlarm({ alarmId: other })).alarm).toMatchObject({ test: false, version: 1 });
  expect(await owner.incidents()).toMatchObject([{ environment: 'test' }]);
});

test('a location says what still uses it; one that nothing uses goes', async () => {
  const { world, owner, url, seen } = await aHouse();
  await seen.locations.createLocation({ location: { name: 'Shed' } });
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/alarms?place=${owner.locationId}`);
  await press(page, 'Delete this location');
  await press(page, 'Delete');
  await shows(page, 'This location is used by alarm');
  await page.evaluate(`document.querySelector('dialog[open]').close()`);
  await shows(page, 'Shed');
  const { locations } = await seen.locations.listLocations({});
  await page.open(`${url}/alarms?place=${locations.find(({ name }) => name === 'Shed')!.id}`);
  await press(page, 'Delete this location');
  await press(page, 'Delete');
  await eventually(async () => !(await text(page)).includes('Shed'), { what: 'the shed to go' });
});

test('what is given up is gone, and a location that is not there is never made', async () => {
  const { world, owner, url, seen } = await aHouse();
  const stranger = await world.account();
  const page = await openConsole(url, world.operator, DESK);
  const isKept = () => page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
  for (const asked of ['add=alarm', 'add=panic_button', 'add=location', `place=${owner.locationId}`]) {
    await page.open(`${url}/alarms?${asked}`);
    await type(page, 'dialog input[name=name]', 'Given up');
    expect(await isKept(), asked).toBe(true);
    await press(page, 'Cancel');
    await eventually(() => page.evaluate(`document.querySelector('dialog') === null`), { what: 'the end of it' });
    expect(await isKept(), asked).toBe(false);
    expect(await page.evaluate('location.search')).toBe('');
  }
  for (const id of [stranger.locationId, 'a'.repeat(32)]) {
    await page.open(`${url}/alarms?place=${id}`);
    await shows(page, 'There is no such location.');
    expect(await page.evaluate(`document.querySelectorAll('dialog input').length`)).toBe(0);
    await press(page, 'Close');
  }
  expect((await seen.locations.listLocations({})).locations).toMatchObject([{ id: owner.locationId }]);
});

test('who may only look sees no button that changes anything; what is another account’s sounds as if it did not exist', async () => {
  const started = await startConsoleWithMail();
  const { house } = await furnish(started);
  const stranger = await started.world.account();
  const theirs = await stranger.alarm({ name: 'Castle' });
  const page = await started.openAs('viewer', 'Vera');
  await page.open(`${started.url}/alarms`);
  await shows(page, 'Garage');
  for (const label of ['Add an alarm', 'Edit location', 'Castle']) expect(await text(page)).not.toContain(label);
  expect(await page.evaluate(`document.querySelectorAll('main input[type=checkbox]').length`)).toBe(0);
  await page.open(`${started.url}/alarms/${house}`);
  await shows(page, 'How it works');
  for (const label of ['Edit', 'Put in test', 'Rehearse', 'Delete House'])
    expect(
      await page.evaluate(`[...document.querySelectorAll('main button')].some(one => one.innerText === '${label}')`),
    ).toBe(false);
  expect(await page.evaluate(`document.querySelector('.form input[name=name]') === null`)).toBe(true);
  for (const id of [theirs, 'a'.repeat(32)]) {
    await page.open(`${started.url}/alarms/${id}`);
    await shows(page, 'There is no such alarm or panic button.');
  }
});
