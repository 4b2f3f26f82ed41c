import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import {
  choose,
  DESK,
  furnish,
  openConsole,
  PHONE,
  press,
  shows,
  startConsole,
  startConsoleWithMail,
  text,
  type,
} from './console-rig.ts';

needsChromium();

const tick = (page: Page, selector: string) =>
  eventually(
    () => page.evaluate<boolean>(`document.querySelector(${JSON.stringify(selector)})?.click() === undefined`),
    {
      what: `a box ${selector}`,
    },
  );

async function aHouse() {
  const started = await startConsole();
  const { world, owner } = started;
  const ids = await furnish(started);
  return { ...started, ...ids, seen: consoleOf(world, world.operator, owner.accountId) };
}

test('from nothing to a first alarm with three fields, by keyboard alone, and to a panic button in its owner’s words', async () => {
  const { world, owner, url } = await startConsole();
  const anna = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['email'] }] }]);
  await world.rows('DELETE FROM location WHERE id = $1', [owner.locationId]);
  const seen = consoleOf(world, world.operator, owner.accountId);
  const page = await openConsole(url, world.operator, PHONE);
  await page.open(`${url}/alarms`);
  await press(page, 'Add the first: three fields');
  await type(page, 'dialog input[name=name]', 'House');
  await choose(page, 'dialog select[name=location]', 'A new location…');
  await type(page, 'dialog input[name=place]', 'Home');
  await press(page, 'Add');
  await shows(page, 'Would it work?');
  const { alarms } = await seen.alarms.listAlarms({});
  const { locations } = await seen.locations.listLocations({});
  expect(locations).toMatchObject([{ name: 'Home' }]);
  expect(alarms).toMatchObject([{ name: 'House', test: true, locationId: locations[0]!.id }]);
  expect(alarms[0]!.modes.map(mode => mode.policyId)).toEqual([policyId, policyId, policyId, policyId]);
  await shows(page, 'Waiting for its first call…');

  await page.open(`${url}/alarms?add=panic_button`);
  await type(page, 'dialog input[name=name]', 'Bedside');
  await choose(page, 'dialog select[name=responseKind]', 'other');
  await type(page, 'dialog input[name=responseText]', 'x'.repeat(41));
  await press(page, 'Add');
  const wrong = () => page.evaluate<string>(`document.querySelector('dialog .wrong')?.innerText ?? ''`);
  await eventually(async () => (await wrong()).includes('40'), { what: 'the sentence beside the field' });
  expect(await page.evaluate(`document.querySelector('dialog input[name=name]').value`)).toBe('Bedside');
  await type(page, 'dialog input[name=responseText]', 'Bring the oxygen');
  await press(page, 'Add');
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
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/alarms`);
  for (const wanted of [
    'Home',
    'Armed: Night',
    'Garage',
    'In test',
    'Not ready',
    'Panic button',
    'Arm, ',
    'no call lately',
  ])
    await shows(page, wanted);
  await type(page, 'input[name=search]', 'shop');
  await eventually(async () => !(await text(page)).includes('Garage'), { what: 'the others to go' });
  expect(await page.evaluate('location.search')).toBe('?search=shop');
  await shows(page, 'Workshop');
  await type(page, 'input[name=search]', 'castle');
  await shows(page, 'Nothing is called that here.');
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
  await press(page, 'Put in test');
  await eventually(async () => !(await text(page)).includes('3 selected'), { what: 'the end of it' });
  expect(await testOf()).toEqual({ House: true, 'Work shop': true, Garage: true });
  expect((await seen.panicButtons.listPanicButtons({})).panicButtons).toMatchObject([{ test: true }]);
  await tick(page, 'input[aria-label="Select House"]');
  await press(page, 'Go live');
  await shows(page, 'A trigger then alerts people: House.');
  await press(page, 'Go live');
  await eventually(async () => (await testOf()).House === false, { what: 'House to be live' });
  const others = consoleOf(world, world.operator, stranger.accountId);
  expect((await others.alarms.getAlarm({ alarmId: other })).alarm).toMatchObject({ test: false, version: 1 });
  expect(await owner.incidents()).toEqual([]);
});

test('would it work: who is told when in each mode, what is in the way, and a button to the field that mends it', async () => {
  const { world, owner, url, house } = await aHouse();
  await world.rows("UPDATE mode SET policy_id = NULL WHERE source_id = $1 AND id = 'night'", [house]);
  await world.rows("UPDATE mode SET window_s = 20 WHERE source_id = $1 AND id = 'away'", [house]);
  await world.rows("UPDATE location SET address = '' WHERE account_id = $1", [owner.accountId]);
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/alarms/${house}?mode=away`);
  for (const wanted of [
    'A trigger now would run the policy A policy.',
    'for 20 sec a disarm cancels',
    'Anna',
    '5 min 20 sec',
    'Noah',
  ])
    await shows(page, wanted);
  await page.evaluate(`[...document.querySelectorAll('.segments input')].at(2).click()`);
  await shows(page, 'Nobody would be told.');
  expect(await page.evaluate('location.search')).toBe('?mode=night');

  await shows(page, 'No policy: Night');
  await press(page, 'Choose a policy');
  await eventually(() => page.evaluate(`document.activeElement.closest('#mode-night') !== null`), {
    what: 'the field',
  });
  await page.open(url);
  await press(page, 'Choose a policy: House');
  await shows(page, 'Would it work?');
  await eventually(() => page.evaluate(`document.activeElement.closest('#mode-night') !== null`), {
    what: 'the field',
  });
  await press(page, 'Add the address');
  await shows(page, 'Address, as people alerted read it');
  await type(page, 'dialog textarea', '12 Example Street');
  await press(page, 'Save');
  await eventually(
    async () => (await world.rows('SELECT 1 FROM location WHERE address = $1', ['12 Example Street'])).length,
    {
      what: 'the address to be stored',
    },
  );
});

test('edits all of an alarm; a refusal stands beside its field, and what alerts nobody is asked before', async () => {
  const { world, owner, url, house, seen } = await aHouse();
  const farm = (await seen.locations.createLocation({ location: { name: 'Farm' } })).location!.id;
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/alarms/${house}`);
  await type(page, '.form input[name=name]', 'The house');
  await choose(page, '.form select[name=location]', 'Farm');
  await type(page, 'input[name=window-home]', '999');
  await tick(page, '#onlyWhenArmed input');
  await tick(page, '#clearOnDisarm input');
  await press(page, 'Save');
  const wrong = () => page.evaluate<string>(`document.querySelector('#mode-home .wrong')?.innerText ?? ''`);
  await eventually(async () => (await wrong()).includes('120'), { what: 'the sentence beside the field' });
  await type(page, 'input[name=window-home]', '30');
  await press(page, 'Save');
  await shows(page, 'Saved.');
  const get = async () => (await seen.alarms.getAlarm({ alarmId: house })).alarm!;
  expect(await get()).toMatchObject({ name: 'The house', locationId: farm, onlyWhenArmed: true, clearOnDisarm: true });
  expect((await get()).modes[0]).toMatchObject({ id: 'home', windowS: 30 });

  await tick(page, '#mode-vacation .toggle input');
  await choose(page, 'select[name=policy-night]', '');
  await press(page, 'Save');
  await shows(page, 'Leave Night, Vacation without anybody to tell?');
  expect((await get()).modes).toHaveLength(4);
  await press(page, 'Save');
  await eventually(async () => (await get()).modes.length === 3, { what: 'the mode to go' });
  await tick(page, '#disabled input');
  await press(page, 'Save');
  await eventually(async () => (await get()).disabled, { what: 'it to be off' });
  expect((await world.get(`/v1/alarm/${house}/trigger`, await owner.key())).status).toBe(404);
});

test('two people edit one alarm: the second sees what changed, and loses nothing', async () => {
  const { world, url, house, seen } = await aHouse();
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/alarms/${house}`);
  await type(page, '.form input[name=name]', 'Mine');
  const { alarm } = await seen.alarms.getAlarm({ alarmId: house });
  await seen.alarms.updateAlarm({ alarm: { ...alarm!, name: 'Theirs', clearOnDisarm: true } });
  await press(page, 'Save');
  await shows(page, 'Somebody else saved meanwhile.');
  await shows(page, 'Both of you changed: Name (“Theirs”).');
  expect(await page.evaluate(`document.querySelector('.form input[name=name]').value`)).toBe('Mine');
  await press(page, 'Save');
  await eventually(async () => (await seen.alarms.getAlarm({ alarmId: house })).alarm?.name === 'Mine', {
    what: 'mine to be stored',
  });
  expect((await seen.alarms.getAlarm({ alarmId: house })).alarm).toMatchObject({ clearOnDisarm: true });
});

test('rehearses in test, shows its calls live, goes live naming who will be told, and is deleted', async () => {
  const { world, owner, url, house, key, seen } = await aHouse();
  await seen.alarms.updateAlarm({ alarm: { id: house, version: 1, test: true }, updateMask: { paths: ['test'] } });
  const page = await openConsole(url, world.operator, PHONE);
  await page.open(`${url}/alarms/${house}`);
  await press(page, 'Rehearse');
  await choose(page, 'dialog select[name=mode]', 'night');
  await press(page, 'Rehearse');
  await shows(page, 'What would have happened');
  await shows(page, 'Noah');
  expect(await owner.incidents()).toMatchObject([{ mode: 'night', environment: 'test', status: 'closed' }]);
  await press(page, 'Close');
  await world.get(`/v1/alarm/${house}/trigger/away`, key);
  await world.settle();
  await shows(page, 'Opened an incident');
  await world.get(`/v1/alarm/${house}/clear`, key);
  await world.settle();
  await eventually(async () => !(await text(page)).includes('Triggered'), { what: 'the clear to be seen' });
  await press(page, 'Go live');
  await shows(page, 'From then on a trigger tells Anna');
  await press(page, 'Go live');
  await eventually(async () => (await seen.alarms.getAlarm({ alarmId: house })).alarm?.test === false, {
    what: 'live',
  });

  await press(page, 'Delete House');
  await shows(page, 'Delete House?');
  await press(page, 'Delete');
  await shows(page, 'Workshop');
  expect(await page.evaluate('location.pathname')).toBe('/alarms');
  expect((await seen.alarms.listAlarms({})).alarms.map(({ name }) => name)).toEqual(['Workshop', 'Garage']);
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
  for (const label of ['Save', 'Put in test', 'Rehearse', 'Delete House'])
    expect(
      await page.evaluate(`[...document.querySelectorAll('main button')].some(one => one.innerText === '${label}')`),
    ).toBe(false);
  expect(await page.evaluate(`document.querySelector('.form input[name=name]').matches(':disabled')`)).toBe(true);
  for (const id of [theirs, 'a'.repeat(32)]) {
    await page.open(`${started.url}/alarms/${id}`);
    await shows(page, 'There is no such alarm or panic button.');
  }
});
