import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import {
  aHouse,
  choose,
  DESK,
  furnish,
  openConsole,
  PHONE,
  press,
  shows,
  startConsoleWithMail,
  text,
  tick,
  type,
} from './console-rig.ts';

needsChromium();

test('would it work: who is told when in each mode, what is in the way, and a button to the field that mends it', async () => {
  const { world, owner, url, house } = await aHouse();
  await world.rows("UPDATE mode SET policy_id = NULL WHERE source_id = $1 AND id = 'night'", [house]);
  await world.rows("UPDATE mode SET window_s = 20 WHERE source_id = $1 AND id = 'away'", [house]);
  await world.rows("UPDATE location SET address = '' WHERE account_id = $1", [owner.accountId]);
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/alarms/${house}?mode=away`);
  for (const wanted of [
    'A trigger now would run the policy “A policy”.',
    'a disarm within 20 sec cancels',
    'Anna',
    '5 min 20 sec',
    'Noah',
  ])
    await shows(page, wanted);
  await page.evaluate(`[...document.querySelectorAll('.segments input')].at(2).click()`);
  await shows(page, 'Nobody would be alerted.');
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
  await shows(page, 'Address shown to people alerted');
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
  await press(page, 'Edit');
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
  expect(await page.evaluate(`document.querySelector('.form input[name=name]') === null`)).toBe(true);
  const get = async () => (await seen.alarms.getAlarm({ alarmId: house })).alarm!;
  expect(await get()).toMatchObject({ name: 'The house', locationId: farm, onlyWhenArmed: true, clearOnDisarm: true });
  expect((await get()).modes[0]).toMatchObject({ id: 'home', windowS: 30 });

  await press(page, 'Edit');
  await tick(page, '#mode-vacation .toggle input');
  await choose(page, 'select[name=policy-night]', '');
  await press(page, 'Save');
  await shows(page, 'Leave Night, Vacation without anybody to alert?');
  expect((await get()).modes).toHaveLength(4);
  await press(page, 'Save');
  await eventually(async () => (await get()).modes.length === 3, { what: 'the mode to go' });
  await press(page, 'Edit');
  await tick(page, '#disabled input');
  await press(page, 'Save');
  await eventually(async () => (await get()).disabled, { what: 'it to be off' });
  expect((await world.get(`/v1/alarm/${house}/trigger`, await owner.key())).status).toBe(404);
});

test('its page reads: how it works, who would be told in the words of Home, and what came of the last call', async () => {
  const { world, owner, url, house, key } = await aHouse();
  await world.rows("UPDATE mode SET window_s = 20 WHERE source_id = $1 AND id = 'away'", [house]);
  await world.rows("UPDATE api_key SET label = 'Front door camera' WHERE account_id = $1", [owner.accountId]);
  const page = await openConsole(url, world.operator, DESK);
  await shows(page, 'if it were armed');
  const linesOf = (name: string) =>
    page.evaluate<string[]>(`(() => {
      const lines = [...document.querySelectorAll('main .rows > div > p.row, main .card.rows > p.row')];
      return lines.filter(one => one.innerText.includes(${JSON.stringify(name)})).map(one => one.innerText);
    })()`);
  const onHome = (await linesOf('House')).map(said => said.replace(', Workshop', ''));
  await page.open(`${url}/alarms/${house}`);
  for (const wanted of [
    'Who is told',
    'Home, Night, Vacation',
    'A policy · after a window of 20 sec',
    'No call lately',
    'None yet',
  ]) {
    await shows(page, wanted);
  }
  await shows(page, 'if it were armed');
  expect(onHome).toHaveLength(1);
  expect(await linesOf('House')).toEqual(onHome);
  expect(await text(page)).not.toContain('Workshop');
  expect(await page.evaluate(`document.querySelector('.form input[name=name]') === null`)).toBe(true);
  await world.get(`/v1/alarm/${house}/trigger/night`, key);
  await world.settle();
  await shows(page, 'Trigger · Opened an incident');
  await shows(page, 'by Front door camera');
  await shows(page, 'House — Night');
  const [incident] = await owner.incidents();
  await world.advance(40);
  await consoleOf(world, world.operator, owner.accountId).incidents.acknowledge({
    incidentId: incident!.id,
    by: 'Anna',
  });
  await shows(page, 'Acknowledged by Anna, 40 sec later');
  await press(page, 'All its incidents');
  await shows(page, 'Only House');
});

test('the browser is asked to keep a page with unsaved edits, and only then', async () => {
  const { world, url, house } = await aHouse();
  const page = await openConsole(url, world.operator, DESK);
  // A browser asks its reader where a page does not let this event pass.
  const isKept = () => page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
  await page.open(`${url}/alarms/${house}`);
  await press(page, 'Edit');
  expect(await isKept()).toBe(false);
  await type(page, '.form input[name=name]', 'Villa');
  expect(await isKept()).toBe(true);
  await press(page, '← Alarms and panic buttons');
  await shows(page, 'Garage');
  expect(await isKept()).toBe(true);
  await press(page, 'House');
  await press(page, 'Save');
  await shows(page, 'Saved.');
  expect(await isKept()).toBe(false);
  await press(page, 'Edit');
  await type(page, '.form input[name=name]', 'Castle');
  await press(page, 'Cancel');
  expect(await isKept()).toBe(false);
});

test('two people edit one alarm: the second sees what changed, and loses nothing', async () => {
  const { world, url, house, seen } = await aHouse();
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/alarms/${house}`);
  await press(page, 'Edit');
  await type(page, '.form input[name=name]', 'Mine');
  const { alarm } = await seen.alarms.getAlarm({ alarmId: house });
  await seen.alarms.updateAlarm({ alarm: { ...alarm!, name: 'Theirs', clearOnDisarm: true } });
  await press(page, 'Save');
  await shows(page, 'Somebody else saved changes while you were editing.');
  await shows(page, 'You both changed: Name (“Theirs”).');
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
  // Here nothing is set up to send anything by.
  await shows(page, 'As configured now, they would alert nobody. No alert reaches Anna and Noah yet');
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

test('going live names whom an alert reaches, and whom it does not', async () => {
  const started = await startConsoleWithMail();
  const { world, seen, url, openAs } = started;
  const { house } = await furnish(started);
  await seen.alarms.updateAlarm({ alarm: { id: house, version: 1, test: true }, updateMask: { paths: ['test'] } });
  await world.rows(
    `UPDATE contact_channel SET verified_at = NULL WHERE contact_id IN (SELECT id FROM contact WHERE name = 'Noah')`,
  );
  const page = await openAs('editor', 'Edda');
  await page.open(`${url}/alarms/${house}`);
  await press(page, 'Go live');
  await shows(page, 'From then on, a trigger alerts Anna. No alert reaches Noah yet');
});
