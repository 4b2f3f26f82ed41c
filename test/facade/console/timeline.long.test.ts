import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import { aHouse, openConsole, PHONE, shows, text } from './console-rig.ts';
import { faultsOf } from './looks-rig.ts';

needsChromium();

test('the page of an incident tells it by people: machines in one line, nothing twice, nothing that never came', async () => {
  const { world, owner, url, house, key, seen } = await aHouse();
  for (let at = 0; at < 18; at++) {
    await world.get(`/v1/alarm/${house}/trigger/night`, key);
    await world.settle();
  }
  const incidentId = (await owner.incidents())[0]!.id;
  const page = await openConsole(url, world.operator, PHONE);
  await page.open(`${url}/incidents/${incidentId}`);
  await shows(page, '17 more calls');
  await shows(page, 'Still to come');
  await shows(page, 'Email to Noah');
  await shows(page, 'Email and Text to Anna');
  await page.evaluate(`document.querySelector('.timeline summary').click()`);
  await eventually(() => page.evaluate(`document.querySelectorAll('.timeline details[open] li').length === 17`), {
    what: 'each of the calls',
  });
  await seen.incidents.acknowledge({ incidentId, by: 'Anna' });
  await shows(page, 'Anna acknowledged');
  await shows(page, 'No further message to Noah.');
  const said = await text(page);
  for (const twice of ['Still to come', 'Acknowledge · ', 'Step 1', 'Email to Noah']) expect(said).not.toContain(twice);
  const chips = () => page.evaluate<string>(`document.querySelector('main .chips').innerText.replaceAll(/\\s+/g, ' ')`);
  expect(await chips()).toBe('Live Acknowledged');
  await seen.incidents.close({ incidentId, disposition: 'test' });
  await eventually(async () => (await chips()) === 'Closed Only a test Acknowledged', { what: 'chips that agree' });
  await shows(page, 'It was closed');
});

test('an incident that is open and live offers to call for help at its place, and those told who allow it', async () => {
  const { world, owner, url, house, key, seen } = await aHouse();
  await world.rows("UPDATE location SET emergency_number = '112' WHERE account_id = $1", [owner.accountId]);
  await world.rows("UPDATE contact SET show_number = true WHERE account_id = $1 AND name = 'Anna'", [owner.accountId]);
  await world.get(`/v1/alarm/${house}/trigger/night`, key);
  await world.settle();
  const incidentId = (await owner.incidents())[0]!.id;
  const page = await openConsole(url, world.operator, PHONE);
  await page.open(`${url}/incidents/${incidentId}`);
  await shows(page, 'Call Anna');
  const dials = () =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('main a[href^="tel:"]')].map(one => one.innerText + ' ' + one.getAttribute('href'))`,
    );
  expect(await dials()).toEqual(['Call 112 tel:112', 'Call Anna tel:+12025550101']);
  expect(await faultsOf(page, 'incident-calls')).toEqual([]);
  await seen.incidents.close({ incidentId });
  await eventually(async () => (await dials()).length === 0, { what: 'nobody to call any more' });
});
