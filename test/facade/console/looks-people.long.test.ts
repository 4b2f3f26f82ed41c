import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { DESK, furnish, openConsole, press, shows, startConsole, type } from './console-rig.ts';
import { faultsOf, go } from './looks-rig.ts';

needsChromium();

test('the screens of people can be read and used by everybody', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  const page = await openConsole(url, world.operator, DESK);
  const faults: string[] = [];
  await go(page, `${url}/people`, 'Add yourself first.');
  faults.push(...(await faultsOf(page, 'people-empty')));
  await go(page, `${url}/people/new`, 'A new person');
  await press(page, 'Push');
  await press(page, 'Add');
  await shows(page, '1 to 100 characters');
  faults.push(...(await faultsOf(page, 'person-new')));
  await go(page, `${url}/people/${'a'.repeat(32)}`, 'There is no such person.');
  faults.push(...(await faultsOf(page, 'person-gone')));

  await furnish(console);
  const ways = { text: '+436601234567', email: 'grandma@example.com', webhook: 'https://example.com/hook' } as const;
  const grandma = await owner.contact('Grandma', ways);
  await world.rows("UPDATE contact SET locale = 'de', time_zone = 'America/New_York' WHERE id = $1", [grandma]);
  await world.rows(
    "UPDATE contact_channel SET disabled_reason = 'on holiday' WHERE contact_id = $1 AND channel = 'webhook'",
    [grandma],
  );
  await world.rows("UPDATE contact_channel SET verified_at = NULL WHERE contact_id = $1 AND channel = 'text'", [
    grandma,
  ]);
  await go(page, `${url}/people`, 'Grandma');
  await shows(page, 'cannot be reached');
  faults.push(...(await faultsOf(page, 'people')));
  await go(page, `${url}/people/${grandma}`, 'Ways to reach them');
  await shows(page, 'No carrier');
  await press(page, 'Verify');
  await shows(page, 'It is valid for 10 minutes');
  await press(page, 'Send a test: Email to Grandma');
  await shows(page, 'It went to nobody');
  faults.push(...(await faultsOf(page, 'person')));
  await press(page, 'Edit');
  await shows(page, 'Edit Grandma');
  faults.push(...(await faultsOf(page, 'person-edit')));
  expect(faults).toEqual([]);
}, 300_000);

test('the screens of policies and keys can be read and used by everybody', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  const page = await openConsole(url, world.operator, DESK);
  const faults: string[] = [];
  await go(page, `${url}/policies`, 'Add people first.');
  await go(page, `${url}/keys`, 'No key yet');
  faults.push(...(await faultsOf(page, 'keys-empty')));
  await owner.contact('Anna', { email: 'anna@example.com' });
  await go(page, `${url}/policies`, 'Start with one of these.');
  faults.push(...(await faultsOf(page, 'policies-empty')));

  const { house, key } = await furnish(console, 'House');
  await owner.keyWithId(house);
  await world.get(`/v1/alarm/${house}/arm/night`, key);
  await world.settle();
  await go(page, `${url}/policies`, 'Used by');
  faults.push(...(await faultsOf(page, 'policies')));
  await press(page, 'A policy');
  await shows(page, 'Who is alerted, and when');
  await shows(page, 'Vacation');
  faults.push(...(await faultsOf(page, 'policy')));
  await press(page, 'Edit');
  await shows(page, 'Edit A policy');
  faults.push(...(await faultsOf(page, 'policy-edit')));
  await go(page, `${url}/policies/new`, 'A new policy');
  await press(page, 'Add the policy');
  await shows(page, 'Takes 1 to 20 contacts');
  faults.push(...(await faultsOf(page, 'policy-new')));

  await go(page, `${url}/keys`, 'Only House');
  faults.push(...(await faultsOf(page, 'keys')));
  await press(page, 'Rotate');
  await shows(page, 'Rotate A key?');
  faults.push(...(await faultsOf(page, 'keys-renew')));
  await press(page, 'Create a key');
  await type(page, 'input[name=label]', 'Camera at the door');
  await type(page, 'input[name=look]', 'https://cameras.example.com/door');
  faults.push(...(await faultsOf(page, 'keys-new')));
  await press(page, 'Create the key');
  await shows(page, 'It is shown only once.');
  await shows(page, 'Look here: https://cameras.example.com/door');
  faults.push(...(await faultsOf(page, 'keys-shown')));
  expect(faults).toEqual([]);
}, 300_000);
