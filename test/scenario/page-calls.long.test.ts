import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { needsChromium, openPage } from '../support/chromium.ts';
import { type Console, consoleOf } from '../support/console.ts';
import { measure } from '../support/legible.ts';
import { aNight, type Night } from './page-rig.ts';

needsChromium();

const NOT_SHOWN = /\+1202|tel:/;

/** Whom a page offers to call: what its buttons say, and what each dials. */
async function callsOn(url: string): Promise<string[]> {
  const html = await (await fetch(url)).text();
  return [...html.matchAll(/<a class="dial (\w+)" href="tel:([^"]*)"[^>]*>([^<]*)</g)].map(
    ([, kind, number, label]) => `${kind}: ${label} → ${number}`,
  );
}

const consoleFor = ({ world, owner }: Night): Console => consoleOf(world, world.operator, owner.accountId);

/** Gives somebody a number for texts. */
async function giveANumber(
  night: Night,
  who: 'Anna' | 'Ben',
  show: 'shown' | 'hidden',
  verified: 'verified' | 'never_verified' = 'verified',
) {
  const { contacts } = consoleFor(night);
  const all = await contacts.listContacts({});
  const { id, version, channels } = all.contacts.find(({ name }) => name === who)!;
  const text = { channel: 'text', address: '+12025550111' };
  const contact = { id, version, channels: [...channels, text], showNumber: show === 'shown' };
  await contacts.updateContact({ contact, updateMask: { paths: ['channels', 'show_number'] } });
  if (verified === 'never_verified') return;
  await night.world.rows(`UPDATE contact_channel SET verified_at = now() WHERE contact_id = $1 AND channel = 'text'`, [
    id,
  ]);
}

async function setEmergencyNumber(night: Night, emergencyNumber: string): Promise<void> {
  const { locations } = consoleFor(night);
  const { id, version } = (await locations.listLocations({})).locations[0]!;
  const updateMask = { paths: ['emergency_number'] };
  await locations.updateLocation({ location: { id, version, emergencyNumber }, updateMask });
}

async function begin(options: Parameters<typeof aNight>[0] = {}): Promise<Night> {
  const night = await aNight(options);
  onTestFinished(() => night.smtp.stop());
  return night;
}

test('whoever was alerted can call for help at the place, and those beside them who let themselves be called, until it is over', async () => {
  const night = await begin();
  await giveANumber(night, 'Ben', 'shown');
  await setEmergencyNumber(night, '+43 (1) 711-19');
  await night.act('trigger');
  const url = await night.linkTo('anna@example.com');
  expect(await callsOn(url)).toEqual(['emergency: Call +43171119 → +43171119', 'person: Call Ben → +12025550111']);
  // As its owner has it now: it was wrong, and somebody stands in front of a burning house.
  await setEmergencyNumber(night, '112');
  expect(await callsOn(url)).toEqual(['emergency: Call 112 → 112', 'person: Call Ben → +12025550111']);
  await night.act('clear');
  expect(await callsOn(url)).toEqual([]);
});

test('the console is told the same people to call as the page, while it is live and open', async () => {
  const night = await begin();
  await giveANumber(night, 'Anna', 'hidden');
  await giveANumber(night, 'Ben', 'shown');
  await setEmergencyNumber(night, '112');
  await night.act('trigger');
  const { incidents } = consoleFor(night);
  const [incident] = (await incidents.listIncidents({})).incidents;
  const callees = async () =>
    (await incidents.getIncident({ incidentId: incident!.id })).callees.map(({ kind, name, number }) => [
      kind,
      name,
      number,
    ]);
  expect(await callees()).toEqual([
    ['emergency', '', '112'],
    ['person', 'Ben', '+12025550111'],
  ]);
  await night.act('clear');
  expect(await callees()).toEqual([]);
});

test.each([
  'light',
  'dark',
] as const)('the buttons that dial are as large as what else is pressed at night, in %s', async scheme => {
  const night = await begin({ locale: 'de-AT' });
  await giveANumber(night, 'Ben', 'shown');
  await setEmergencyNumber(night, '112');
  await night.act('trigger');
  const page = await openPage(await night.linkTo('anna@example.com'), {
    width: 360,
    height: 900,
    scripts: 'on',
    scheme,
  });
  const seen = await measure(page);
  expect(seen.sideways).toBeLessThanOrEqual(0);
  expect(seen.leastContrast).toBeGreaterThanOrEqual(7);
  const dials = await page.evaluate<{ text: string; height: number }[]>(
    `[...document.querySelectorAll('.dial')].map(one => ({ text: one.innerText, height: one.getBoundingClientRect().height }))`,
  );
  expect(dials.map(({ text }) => text)).toEqual(['112 anrufen', 'Ben anrufen']);
  expect(Math.min(...dials.map(({ height }) => height))).toBeGreaterThanOrEqual(56);
  await page.evaluate(`document.querySelector('.calls').scrollIntoView({ block: 'center' })`);
  await writeFile(join(tmpdir(), `tocsin-page-calls-${scheme}.png`), await page.screenshot());
  expect(page.complaints).toEqual([]);
});

test('nobody sees the number of somebody who does not let them, who never verified it, who does not use it any more, or of oneself', async () => {
  const page = async (night: Night, address = 'anna@example.com') => (await fetch(await night.linkTo(address))).text();
  const hidden = await begin();
  await giveANumber(hidden, 'Ben', 'hidden');
  await hidden.act('trigger');
  expect(await page(hidden)).not.toMatch(NOT_SHOWN);

  const unverified = await begin();
  await giveANumber(unverified, 'Ben', 'shown', 'never_verified');
  await unverified.act('trigger');
  expect(await page(unverified)).not.toMatch(NOT_SHOWN);

  const paused = await begin();
  await giveANumber(paused, 'Ben', 'shown');
  await paused.world.rows(`UPDATE contact_channel SET disabled_reason = 'not mine any more' WHERE channel = 'text'`);
  await paused.act('trigger');
  expect(await page(paused)).not.toMatch(NOT_SHOWN);

  const own = await begin();
  await giveANumber(own, 'Anna', 'shown');
  await own.act('trigger');
  expect(await page(own)).not.toMatch(NOT_SHOWN);
  await own.world.advance(300);
  expect(await page(own, 'ben@example.com')).toContain('tel:+12025550111');
});

test('a number that cannot be opened takes nobody’s page away', async () => {
  const night = await begin();
  await giveANumber(night, 'Ben', 'shown');
  await setEmergencyNumber(night, '112');
  await night.act('trigger');
  const url = await night.linkTo('anna@example.com');
  await night.world.rows(`UPDATE contact_channel SET address = 'v1:damaged' WHERE channel = 'text'`);
  expect(await callsOn(url)).toEqual(['emergency: Call 112 → 112']);
  const { status } = await fetch(`${url}/acknowledge`, { method: 'POST', redirect: 'manual' });
  expect(status).toBe(200);
});

test('what is dialled for help is that of where it fired, whatever is moved meanwhile', async () => {
  const night = await begin();
  await setEmergencyNumber(night, '112');
  await night.act('trigger');
  const { locations, alarms } = consoleFor(night);
  const { location } = await locations.createLocation({ location: { name: 'Cabin', emergencyNumber: '911' } });
  const { alarm } = await alarms.getAlarm({ alarmId: night.alarmId });
  await alarms.updateAlarm({
    alarm: { id: alarm!.id, version: alarm!.version, locationId: location!.id },
    updateMask: { paths: ['location_id'] },
  });
  expect(await callsOn(await night.linkTo('anna@example.com'))).toEqual(['emergency: Call 112 → 112']);
});

test.each(['1', 'a1', '+1', '112;ext=1', '1'.repeat(16), '１１２'])('%s is no number to call for help', async typed => {
  const night = await begin();
  await expect(setEmergencyNumber(night, typed)).rejects.toThrow(
    /takes a number to call for help such as "112": 2 to 15 digits, or nothing for none/,
  );
});
