import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import { choose, DESK, openConsole, press, shows, startConsole, type } from './console-rig.ts';

needsChromium();

test('the only policy is proposed to what is new and to what alerts nobody; of several one must choose', async () => {
  const { world, owner, url } = await startConsole();
  const seen = consoleOf(world, world.operator, owner.accountId);
  const told = [
    { contactId: await owner.contact('Anna', { email: 'anna@example.com' }), channels: ['email' as const] },
  ];
  const first = await owner.policy([{ delayS: 0, contacts: told }]);
  const silent = await owner.panicButton({ name: 'Silent' });
  const bare = await owner.alarm({ name: 'Bare' });
  const page = await openConsole(url, world.operator, DESK);
  const chosen = (name: string) =>
    page.evaluate<string>(`document.querySelector('select[name=${name}]')?.selectedOptions[0].value`);

  await page.open(`${url}/alarms?add=panic_button`);
  await type(page, 'dialog input[name=name]', 'Bedside');
  expect(await chosen('policy')).toBe(first);
  await press(page, 'Cancel');

  const { name } = (await seen.policies.getPolicy({ policyId: first })).policy!;
  await page.open(`${url}/panic-buttons/${silent}`);
  await press(page, 'Edit');
  await press(page, `Choose ${name}`);
  await press(page, 'Save');
  const button = async () => (await seen.panicButtons.getPanicButton({ panicButtonId: silent })).panicButton!;
  await eventually(async () => (await button()).policyId === first, { what: 'its policy' });

  await page.open(`${url}/alarms/${bare}`);
  await press(page, 'Edit');
  await press(page, `Choose ${name}`);
  await press(page, 'Save');
  const modes = async () => (await seen.alarms.getAlarm({ alarmId: bare })).alarm!.modes;
  await eventually(async () => (await modes()).some(({ policyId }) => policyId === first), { what: 'the mode' });

  const { policy: neighbours } = await seen.policies.createPolicy({
    policy: { name: 'Neighbours', steps: [{ delayS: 0, contacts: told }] },
  });
  await page.open(`${url}/alarms?add=panic_button`);
  await type(page, 'dialog input[name=name]', 'Cellar');
  await shows(page, 'Choose who is alerted');
  expect(await chosen('policy')).toBe('');
  await press(page, 'Add');
  // The browser holds the form until something is chosen.
  expect(await page.evaluate(`document.querySelector('select[name=policy]').validity.valueMissing`)).toBe(true);
  await choose(page, 'select[name=policy]', 'Neighbours');
  await press(page, 'Add');
  const made = async () => (await seen.panicButtons.listPanicButtons({})).panicButtons;
  await eventually(async () => (await made()).length === 2, { what: 'the button' });
  expect((await made()).find(({ name }) => name === 'Cellar')).toMatchObject({
    policyId: neighbours!.id,
  });

  await page.open(`${url}/alarms?add=panic_button`);
  await type(page, 'dialog input[name=name]', 'For later');
  await choose(page, 'select[name=policy]', 'None: nobody is alerted');
  await press(page, 'Add');
  await eventually(async () => (await made()).some(({ policyId }) => policyId === ''), {
    what: 'one without a policy',
  });
}, 120_000);
