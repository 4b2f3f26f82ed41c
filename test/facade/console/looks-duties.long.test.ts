import { expect, onTestFinished, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { startSmtp } from '../../support/smtp.ts';
import { press, shows, startConsole, tick } from './console-rig.ts';
import { aDuty, after, openOnFriday } from './duties-rig.ts';
import { faultsOf, go } from './looks-rig.ts';

needsChromium();

test('the screens of duties can be read and used by everybody', async () => {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const console = await startConsole({ smtpUrl: smtp.url });
  const { world, owner, url } = console;
  const page = await openOnFriday(console);
  const faults: string[] = [];
  await go(page, `${url}/duties`, 'No duty yet');
  faults.push(...(await faultsOf(page, 'duties-empty')));
  await go(page, `${url}/duties/new`, 'A new duty');
  await press(page, 'Add the duty');
  await shows(page, 'Takes');
  faults.push(...(await faultsOf(page, 'duty-new')));
  await go(page, `${url}/duties/${'a'.repeat(32)}`, 'There is no such duty.');
  faults.push(...(await faultsOf(page, 'duty-gone')));

  const { seen, duty, people } = await aDuty(console);
  await seen.policies.createPolicy({
    policy: { name: 'Shop', steps: [{ contacts: [{ dutyId: duty.id, channels: ['email'] }] }] },
  });
  // Mia has no address that is verified.
  await world.rows('UPDATE contact_channel SET verified_at = NULL WHERE contact_id = $1', [people.Mia]);
  await seen.duties.cover({
    dutyId: duty.id,
    from: after(4, '13:00'),
    until: after(4, '17:00'),
    contactIds: [people.Mia, people.Lea],
    note: 'Anna is at the dentist',
  });
  await seen.duties.createDuty({
    duty: { name: 'Night watch', timeZone: 'America/New_York', otherwise: { contactIds: [people.Mia] } },
  });
  await owner.contact('Otto', { email: 'otto@example.com' });
  await go(page, `${url}/duties`, 'Then');
  await shows(page, 'Unreachable');
  faults.push(...(await faultsOf(page, 'duties')));
  await press(page, 'Shop phone');
  await shows(page, 'Anna is at the dentist');
  await shows(page, 'At times nobody on duty can be reached.');
  faults.push(...(await faultsOf(page, 'duty')));
  await go(page, `${url}/duties/${duty.id}?view=list`, 'Next 14 days');
  await shows(page, 'At times nobody on duty can be reached.');
  faults.push(...(await faultsOf(page, 'duty-list')));
  await tick(page, '.shift');
  await shows(page, 'Who covers');
  await tick(page, 'dialog details summary');
  await tick(page, 'dialog input[name=who]');
  faults.push(...(await faultsOf(page, 'duty-cover')));
  await go(page, `${url}/duties/${duty.id}?week=1`, 'This week');
  await tick(page, '.shift');
  await tick(page, 'dialog .segments label:nth-of-type(2) input[name=what]');
  await shows(page, 'With which shift');
  faults.push(...(await faultsOf(page, 'duty-swap')));
  await go(page, `${url}/duties/${duty.id}`, 'Edit');
  await press(page, 'Edit');
  await shows(page, 'Edit Shop phone');
  faults.push(...(await faultsOf(page, 'duty-edit')));
  await go(page, `${url}/duties/${duty.id}`, 'Make the link');
  await press(page, 'Make the link');
  await shows(page, 'It is shown only once');
  faults.push(...(await faultsOf(page, 'duty-link')));
  expect(faults).toEqual([]);
}, 600_000);
