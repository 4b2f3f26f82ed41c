import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { DESK, furnish, openConsole, press, shows, startConsole, startConsoleWithMail } from './console-rig.ts';
import { faultsOf, go } from './looks-rig.ts';

needsChromium();

test('the screens of alarms and panic buttons can be read and used by everybody', async () => {
  const console = await startConsoleWithMail();
  const { world, owner, url } = console;
  const page = await openConsole(url, world.operator, DESK);
  const faults: string[] = [];
  await go(page, `${url}/alarms`, 'Add your first alarm');
  faults.push(...(await faultsOf(page, 'alarms-empty')));
  await press(page, 'Add a panic button');
  await shows(page, 'Kind of help');
  faults.push(...(await faultsOf(page, 'alarm-add')));
  await go(page, `${url}/alarms/${'a'.repeat(32)}`, 'There is no such alarm or panic button.');
  faults.push(...(await faultsOf(page, 'alarm-gone')));

  const { house, workshop, key } = await furnish(console);
  await world.rows("UPDATE source SET key = 'house' WHERE id = $1", [house]);
  await world.rows("UPDATE mode SET window_s = 20 WHERE source_id = $1 AND id = 'away'", [house]);
  await world.rows("UPDATE policy SET name = 'Family'");
  const seen = consoleOf(world, world.operator, owner.accountId);
  const farm = (await seen.locations.createLocation({ location: { name: 'Farm', test: true } })).location!.id;
  const { alarm: barn } = await seen.alarms.createAlarm({ alarm: { name: 'Barn', locationId: farm, test: false } });
  await world.get(`/v1/alarm/${workshop}/arm/night`, key);
  await world.get(`/v1/alarm/${house}/trigger/night`, key);
  await world.settle();
  await go(page, `${url}/alarms`, 'Armed: Night');
  await shows(page, 'Triggered');
  faults.push(...(await faultsOf(page, 'alarms')));
  await page.evaluate(`document.querySelectorAll('.pick input').forEach(box => box.click())`);
  await shows(page, '5 selected');
  await press(page, 'Go live');
  await shows(page, 'A trigger then alerts people');
  faults.push(...(await faultsOf(page, 'alarms-many')));
  await go(page, `${url}/alarms?place=${farm}`, 'Delete this location');
  faults.push(...(await faultsOf(page, 'location')));
  await world.get(`/v1/alarm/${house}/clear`, key);
  await world.settle();
  await go(page, `${url}/alarms/${house}`, 'Noah');
  await shows(page, 'Trigger');
  faults.push(...(await faultsOf(page, 'alarm')));
  await page.evaluate(`document.querySelector('.form').scrollIntoView()`);
  faults.push(...(await faultsOf(page, 'alarm-form')));
  await go(page, `${url}/alarms/${house}?recipe=ha#recipes`, 'secrets.yaml');
  await page.evaluate(`document.querySelector('#recipes').scrollIntoView()`);
  faults.push(...(await faultsOf(page, 'recipe')));
  await go(page, `${url}/alarms/${barn!.id}`, 'Nobody would be alerted.');
  await press(page, 'Rehearse');
  await shows(page, 'A real trigger in test');
  await press(page, 'Rehearse');
  await shows(page, 'What would have happened');
  faults.push(...(await faultsOf(page, 'rehearsal')));
  const [button] = (await seen.panicButtons.listPanicButtons({})).panicButtons;
  await go(page, `${url}/panic-buttons/${button!.id}`, 'Anna');
  faults.push(...(await faultsOf(page, 'panic-button')));
  expect(faults).toEqual([]);
}, 300_000);

test('a hostile name of an alarm, a mode or a location is text', async () => {
  const hostile = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>\u202E}';
  const console = await startConsole();
  const { world, owner, url } = console;
  const { house } = await furnish(console, hostile);
  await world.rows('UPDATE location SET name = $1, address = $1', [hostile]);
  await world.rows('UPDATE policy SET name = $1', [hostile]);
  await world.rows('UPDATE contact SET name = $1', [hostile]);
  await world.rows('UPDATE mode SET name = $1 WHERE source_id = $2', [hostile, house]);
  const page = await openConsole(url, world.operator, DESK);
  for (const path of ['/alarms', `/alarms?place=${owner.locationId}`, `/alarms/${house}`]) {
    await go(page, url + path, '<img src=x');
    expect(await page.evaluate('[window.hit, document.images.length]')).toEqual([null, 0]);
  }
  expect(page.complaints.filter(complaint => !complaint.includes('401'))).toEqual([]);
});
