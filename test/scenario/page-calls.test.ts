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

/** Gives Ben a number for texts. */
async function giveBenANumber(
  night: Night,
  show: 'shown' | 'hidden',
  verified: 'verified' | 'never_verified' = 'verified',
) {
  const { contacts } = consoleFor(night);
  const all = await contacts.listContacts({});
  const { id, version, channels } = all.contacts.find(({ name }) => name === 'Ben')!;
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
  await giveBenANumber(night, 'shown');
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

test.each([
  'light',
  'dark',
] as const)('the buttons that dial are as large as what else is pressed at night, in %s', async scheme => {
  const night = await begin({ locale: 'de-AT' });
  await giveBenANumber(night, 'shown');
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

test('nobody sees the number of somebody who does not let them, who never verified it, or of oneself', async () => {
  const hidden = await begin();
  await giveBenANumber(hidden, 'hidden');
  await hidden.act('trigger');
  expect(await (await fetch(await hidden.linkTo('anna@example.com'))).text()).not.toMatch(NOT_SHOWN);

  const unverified = await begin();
  await giveBenANumber(unverified, 'shown', 'never_verified');
  await unverified.act('trigger');
  expect(await (await fetch(await unverified.linkTo('anna@example.com'))).text()).not.toMatch(NOT_SHOWN);
});

test.each(['1', 'a1', '+1', '112;ext=1', '1'.repeat(16), '１１２'])('%s is no number to call for help', async typed => {
  const night = await begin();
  await expect(setEmergencyNumber(night, typed)).rejects.toThrow(
    /takes a number to call for help such as "112": 2 to 15 digits, or nothing for none/,
  );
});
