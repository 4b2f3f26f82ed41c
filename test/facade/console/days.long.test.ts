import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import { DESK, openConsole, PHONE, press, shows, startConsole, text } from './console-rig.ts';
import { faultsOf } from './looks-rig.ts';

needsChromium();

const DAY_S = 86_400;

/** A house of twenty days that is armed by night; on its sixth day somebody called it by mistake, and on its tenth a sensor went wild. */
async function twentyDays() {
  const started = await startConsole();
  const { world, owner } = started;
  await world.rows("UPDATE account SET owner_time_zone = 'UTC' WHERE id = $1", [owner.accountId]);
  const seen = consoleOf(world, world.operator, owner.accountId);
  await world.advance(12 * 3_600);
  const modes = [
    { id: 'away', name: 'Away' },
    { id: 'night', name: 'Night' },
  ];
  const { alarm } = await seen.alarms.createAlarm({ alarm: { name: 'House', locationId: owner.locationId, modes } });
  const house = alarm!.id;
  await seen.alarms.updateAlarm({ alarm: { id: house, version: 1, test: false }, updateMask: { paths: ['test'] } });
  const key = await owner.key();
  const call = async (verb: string) => {
    await world.get(`/v1/alarm/${house}/${verb}`, key);
    await world.settle();
  };
  for (let day = 0; day < 20; day++) {
    await call('arm/night');
    await world.advance(DAY_S / 3);
    await call(day % 7 === 6 ? 'arm/away' : 'disarm');
    if (day === 5) {
      await call('trigger/away');
      await call('clear');
      const [incident] = (await seen.incidents.listIncidents({ sourceId: house })).incidents;
      await seen.incidents.setDisposition({ incidentId: incident!.id, disposition: 'false_alarm' });
    }
    if (day === 9) {
      await call('trigger/away');
      for (let more = 0; more < 30; more++) await world.get(`/v1/alarm/${house}/trigger/away`, key);
      await call('clear');
    }
    await world.advance((2 * DAY_S) / 3);
  }
  const beside = await owner.alarm({ name: 'Shed', modes: { away: {} } });
  await world.get(`/v1/alarm/${beside}/trigger/away`, key);
  await world.settle();
  return { ...started, house, seen };
}

/** Goes to the day before by keyboard. */
async function left(page: Page): Promise<void> {
  const key = { key: 'ArrowLeft', code: 'ArrowLeft', windowsVirtualKeyCode: 37 };
  for (const type of ['rawKeyDown', 'keyUp']) await page.ask('Input.dispatchKeyEvent', { ...key, type });
}

test('the calls of today go on: one that comes while the list is shown is in it', async () => {
  const { world, owner, url } = await startConsole();
  const house = await owner.alarm({ name: 'House', modes: { away: {} } });
  const key = await owner.key();
  const call = async (verb: string) => {
    await world.get(`/v1/alarm/${house}/${verb}`, key);
    await world.settle();
  };
  await world.advance(3_600);
  await call('arm/away');
  await world.advance(60);
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/alarms/${house}`);
  await shows(page, '1 call.');
  await press(page, 'Calls of this day');
  await shows(page, 'Only House');
  const count = (calls: number) =>
    eventually(() => page.evaluate(`document.querySelectorAll('.call').length === ${calls}`), {
      what: `${calls} calls`,
    });
  await count(1);
  await call('trigger/away');
  await count(2);
}, 120_000);

test('the last 30 days of an alarm are a picture, which can be read by everybody; a day says its figures and leads to them', async () => {
  const { world, house, url } = await twentyDays();
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/alarms/${house}`);
  await shows(page, 'The last 30 days');
  await eventually(() => page.evaluate(`document.querySelectorAll('svg.past-days > svg').length === 30`), {
    what: '30 days',
  });
  await page.evaluate(`document.querySelector('.past').scrollIntoView({ block: 'center' })`);
  expect(await faultsOf(page, 'days')).toEqual([]);

  const said = () => page.evaluate<string>(`document.querySelector('.past .chosen:not(rect)').innerText`);
  const pick = async (nth: number) => {
    await page.evaluate(`(() => {
      const strip = document.querySelector('.strip > div');
      const { left, width, top } = strip.getBoundingClientRect();
      strip.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, clientX: left + width * (${nth} + 0.5) / 30, clientY: top + 20 }));
    })()`);
  };
  // Nine days before it was made, and hatched: nothing is not the same as not known.
  await pick(3);
  await eventually(async () => (await said()).includes('Not known: it was made later.'), {
    what: 'a day before it was made',
  });
  expect(
    await page.evaluate(
      `document.querySelectorAll('svg.past-days > svg')[3].querySelector('[fill="url(#not-known)"]') !== null`,
    ),
  ).toBe(true);
  // By keyboard: today is the last, and fifteen days before that somebody called by mistake.
  await pick(29);
  await page.evaluate(`document.querySelector('.strip input').focus()`);
  for (let back = 0; back < 15; back++) await left(page);
  await eventually(async () => (await said()).includes('1 live incident, of them 1 false alarm.'), {
    what: 'the day of the mistake',
  });
  expect(
    await page.evaluate(
      `document.querySelector('.strip input').ariaValueText ?? document.querySelector('.strip input').getAttribute('aria-valuetext')`,
    ),
  ).toContain('1 false alarm');
  const counted = Number(/(\d+) calls/.exec(await said())?.[1]);

  await press(page, 'Calls of this day');
  await shows(page, 'Only House');
  await eventually(() => page.evaluate(`document.querySelectorAll('.call').length === ${counted}`), {
    what: 'its calls, and no other',
  });
  expect(await text(page)).not.toContain('Shed');
  await page.evaluate('history.back()');
  await shows(page, 'The last 30 days');
  await page.evaluate(`document.querySelector('.strip input').focus()`);
  for (let back = 0; back < 15; back++) await left(page);
  await press(page, 'Incidents of this day');
  await shows(page, 'Only House');
  await eventually(() => page.evaluate(`document.querySelectorAll('.pick').length === 1`), {
    what: 'its one incident',
  });
  expect(await text(page)).toContain('False alarm');

  // The table says the same to those who hear it.
  await page.turnTo(PHONE);
  await page.open(`${url}/alarms/${house}`);
  await shows(page, 'The last 30 days');
  const table = await eventually(
    async () => {
      const rows = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.past table tbody tr')].map(row => row.textContent)`,
      );
      return rows.length === 30 && rows;
    },
    { what: 'a row for each day' },
  );
  expect(table.filter(row => row.includes('not known'))).toHaveLength(9);
  expect(table.filter(row => row.includes('1 false alarm'))).toHaveLength(1);
}, 300_000);
