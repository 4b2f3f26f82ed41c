import { expect, onTestFinished, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { ANNAS_ID, startTelegram } from '../../support/telegram.ts';
import { DESK, openConsole, press, shows, startConsole, text, type } from './console-rig.ts';
import { faultsOf, go } from './looks-rig.ts';

needsChromium();

/** A console, and a person in it with an email address. */
async function withAnna() {
  const telegram = await startTelegram();
  onTestFinished(() => telegram.stop());
  const { world, owner, url } = await startConsole({ carriers: { telegram: telegram.settings } });
  const anna = await owner.contact('Anna', { email: 'anna@example.com' });
  const page = await openConsole(url, world.operator, DESK);
  const { contacts } = consoleOf(world, world.operator, owner.accountId);
  return { telegram, url, anna, page, contacts };
}

test('a chat is connected by the link of the page, which shows it as soon as Start was pressed', async () => {
  const { telegram, url, anna, page, contacts } = await withAnna();
  const faults: string[] = [];
  await go(page, `${url}/people/${anna}`, 'Connect Telegram');
  faults.push(...(await faultsOf(page, 'person-to-connect')));
  await press(page, 'Connect Telegram');
  await shows(page, 'Whoever opens this link first and presses Start is alerted there as Anna.');
  faults.push(...(await faultsOf(page, 'person-link')));
  const link = await page.evaluate<string>(`document.querySelector('.copying a').href`);
  telegram.write(ANNAS_ID, `/start ${new URL(link).searchParams.get('start')}`);
  await shows(page, 'Telegram is connected: alerts go there from now on.');
  await shows(page, `telegram:${ANNAS_ID}`);
  expect(await text(page)).not.toContain('Make another link');
  faults.push(...(await faultsOf(page, 'person-connected')));
  const { contact } = await contacts.getContact({ contactId: anna });
  expect(contact!.channels[1]).toMatchObject({ channel: 'chat', address: `telegram:${ANNAS_ID}`, reach: 'goes' });
  expect(faults).toEqual([]);
}, 300_000);

test('an address of a chat can be typed; what is none is said beside the field, with what to type instead', async () => {
  const { telegram, url, anna, page, contacts } = await withAnna();
  await go(page, `${url}/people/${anna}`, 'Connect Telegram');
  await press(page, 'Edit');
  await press(page, 'Chat');
  await shows(page, 'Person at Telegram');
  await shows(page, 'A silent phone stays silent');
  await type(page, 'input[name="channels[1].address"]', '@anna');
  await press(page, 'Save');
  await shows(page, 'Telegram tells a bot no @name');
  await type(page, 'input[name="channels[1].address"]', String(ANNAS_ID));
  await press(page, 'Save');
  await shows(page, `Did you mean "telegram:${ANNAS_ID}"?`);
  expect(await faultsOf(page, 'person-edit-chat')).toEqual([]);
  await type(page, 'input[name="channels[1].address"]', `telegram:${ANNAS_ID}`);
  await press(page, 'Save');
  await shows(page, `telegram:${ANNAS_ID}`);
  await page.evaluate(`document.querySelector('#verify-chat').click()`);
  await press(page, 'Send the code');
  const { text: told } = await telegram.next();
  await shows(page, 'The code is on its way.');
  await type(page, 'input[name=code]', /\d{6}/.exec(told)![0]);
  await press(page, 'Verify the code');
  await shows(page, 'Verified: live alerts go there from now on.');
  const { contact } = await contacts.getContact({ contactId: anna });
  expect(contact!.channels[1]).toMatchObject({ channel: 'chat', reach: 'goes' });
}, 300_000);
