import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { responderOf, tokenOf } from '../../rpc/responder/responder-rig.ts';
import { needsChromium, openPage, type Page } from '../../support/chromium.ts';
import { chooseIn, DESK, openConsole, PHONE, press, shows, startConsoleWithMail, text } from './console-rig.ts';
import { faultsOf } from './looks-rig.ts';

needsChromium();

const picture = async (page: Page, name: string) =>
  writeFile(join(tmpdir(), `tocsin-${name}.png`), await page.screenshot());

test('a person is asked for an answer from their page, which shows at once that it came', async () => {
  const { world, smtp, owner, url } = await startConsoleWithMail();
  const anna = await owner.contact('Anna', { email: 'anna@example.com' });
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/people/${anna}`);
  await shows(page, 'Nobody has ever answered from there');
  await press(page, 'Ask for an answer');
  await shows(page, 'A drill is on its way.');
  await picture(page, 'person-asked');
  await world.settle();
  await smtp.next(({ envelope }) => envelope.to.includes('anna@example.com'));
  const [delivery] = await world.rows<{ id: string }>('SELECT id FROM delivery');
  const token = tokenOf(delivery!);
  const phone = await openPage(`${world.url}/i/${token}`, PHONE);
  await shows(phone, 'DRILL: please answer as to an alarm');
  await picture(phone, 'drill-open');
  expect(await text(phone)).not.toContain('Close the alarm');
  await phone.tap('button.acknowledge');
  await shows(phone, 'Did it ring aloud?');
  await picture(phone, 'drill-answered');
  await phone.tap('button.silent');
  await shows(phone, 'You said that it was silent');
  await shows(page, 'Answered: this way is proven.');
  await picture(page, 'person-answered');
});

test('the report of a month can be read by everybody, printed and kept as CSV, and says if a row was changed', async () => {
  const { world, owner, seen, url } = await startConsoleWithMail();
  const anna = await owner.contact('Anna', { email: 'anna@example.com' });
  await seen.drills.startDrill({ contactId: anna, channel: 'email' });
  await world.settle();
  const [delivery] = await world.rows<{ id: string }>('SELECT id FROM delivery');
  const token = tokenOf(delivery!);
  await responderOf(world).acknowledgeByLink({ token });
  await responderOf(world).tellRing({ token, ring: 'silent' });
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/notices/proofs`);
  await shows(page, 'Answered a drill');
  await shows(page, 'It was silent');
  await shows(page, 'none was changed or left out');
  expect(await faultsOf(page, 'proofs')).toEqual([]);
  await picture(page, 'proofs');
  // A month of a home is one sheet, without what leads elsewhere.
  const { data } = await page.ask<{ data: string }>('Page.printToPDF', { paperWidth: 8.27, paperHeight: 11.69 });
  const pdf = Buffer.from(data, 'base64');
  await writeFile(join(tmpdir(), 'tocsin-proofs.pdf'), pdf);
  expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  await page.evaluate(
    `window.saved = []; URL.createObjectURL = blob => { blob.text().then(t => window.saved.push(t)); return 'blob:none'; }`,
  );
  await press(page, 'Download as CSV');
  expect(await page.evaluate<string>('new Promise(done => setTimeout(() => done(window.saved[0]), 100))')).toMatch(
    /^number,who,channel,.*\r\n1,Anna,email,drill,answered,/,
  );
  await world.rows("UPDATE proof SET contact_name = 'Ben' WHERE id = 1");
  await page.open(`${url}/notices/proofs?month=2026-01`);
  await shows(page, 'A row was changed or is missing');
});

test('drills by themselves are switched on in the settings of the account', async () => {
  const { world, owner, url } = await startConsoleWithMail();
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/settings`);
  await shows(page, 'Everybody a policy names is asked');
  await picture(page, 'settings-drills');
  await chooseIn(page, 'Drills', 'monthly');
  await press(page, 'Save');
  await shows(page, 'Saved');
  expect(await world.rows('SELECT drills FROM account WHERE id = $1', [owner.accountId])).toEqual([
    { drills: 'monthly' },
  ]);
});
