import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { DESK, furnish, openConsole, press, shows, startConsole, type } from './console-rig.ts';
import { faultsOf, go } from './looks-rig.ts';

needsChromium();

test('the settings can be read and used by everybody: axe finds nothing, light and dark, phone and desktop', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  const seen = consoleOf(world, world.operator, owner.accountId);
  const page = await openConsole(url, world.operator, DESK);
  const faults: string[] = [];
  await go(page, `${url}/settings/plan`, 'No incident yet.');
  faults.push(...(await faultsOf(page, 'settings-plan-empty')));
  await go(page, `${url}/settings/members`, 'No member yet.');
  faults.push(...(await faultsOf(page, 'settings-members-empty')));

  const { house, key } = await furnish(console);
  await world.get(`/v1/alarm/${house}/trigger/night`, key);
  await world.settle();
  await seen.members.inviteMember({ email: 'anna@example.com', role: 'owner', name: 'Anna' });
  await seen.members.inviteMember({ email: 'noah@example.com', role: 'responder', name: 'Noah' });
  for (const [part, wanted] of [
    ['', "Owner's email"],
    ['/plan', 'Month by month'],
    ['/members', 'Noah'],
    ['/access', 'This device'],
    ['/file', 'Or paste it here'],
    ['/doctor', 'This deployment'],
  ] as const) {
    await go(page, `${url}/settings${part}`, wanted);
    faults.push(...(await faultsOf(page, `settings${part.replace('/', '-')}`)));
  }
  await go(page, `${url}/settings/access`, 'This device');
  await type(page, 'input[name=tokenLabel]', 'Backup script');
  await press(page, 'Create a token');
  await shows(page, 'It is shown only once.');
  faults.push(...(await faultsOf(page, 'settings-token')));
  await go(page, `${url}/settings/file`, 'Or paste it here');
  const { text: file } = await seen.configuration.export({});
  await type(page, 'textarea[name=file]', file.replace('name: Workshop', 'nam: Workshop'));
  await press(page, 'Check it');
  await shows(page, 'Did you mean');
  await page.evaluate(`document.querySelector('main div.stack[role=status]').scrollIntoView({ block: 'center' })`);
  faults.push(...(await faultsOf(page, 'settings-file-findings')));
  await type(page, 'textarea[name=file]', file.replace('name: Workshop', 'name: Studio'));
  await press(page, 'Check it');
  await shows(page, 'Name: Workshop → Studio');
  await page.evaluate(`document.querySelector('main div.stack[role=status]').scrollIntoView({ block: 'center' })`);
  faults.push(...(await faultsOf(page, 'settings-file-changes')));
  expect(faults).toEqual([]);
}, 300_000);
