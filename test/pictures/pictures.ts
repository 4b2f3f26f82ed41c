import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ICON } from '../../facade/face.ts';
import { COLOURS, ICON_COLOURS } from '../../services/process/tokens.ts';
import { DESK, openConsole, PHONE, shows } from '../facade/console/console-rig.ts';
import { openPage, type Page } from '../support/chromium.ts';
import { advanceClock } from '../support/database.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';

/* Makes the pictures that README and documentation show, from a night in a made-up house. Not a test: `npm run pictures`. */

const FOLDER = fileURLToPath(new URL('../../facade/docs/pictures/', import.meta.url));

/** What a picture may weigh, in bytes. */
const MOST = 60_000;

/** Keeps what is seen, in the best quality that weighs no more. */
async function keep(page: Page, name: string): Promise<void> {
  let quality = 75;
  let picture = await page.screenshot(quality);
  while (picture.length > MOST && quality > 10) {
    quality -= 10;
    picture = await page.screenshot(quality);
  }
  expect(picture.length, name).toBeLessThanOrEqual(MOST);
  await writeFile(`${FOLDER}${name}.webp`, picture);
}

/** The icons as PNG: how large, in CSS pixels, of which each is two; what is behind the drawing, how much of the width it has, and what is drawn. */
const ICONS: [string, { side: number; ground: string; share: number; drawn: string }][] = [
  // The corners are cut by whoever shows it.
  ['touch-icon', { side: 90, ground: ICON_COLOURS.ground, share: 100, drawn: ICON }],
  ['app-192', { side: 96, ground: 'transparent', share: 100, drawn: ICON }],
  ['app-512', { side: 256, ground: 'transparent', share: 100, drawn: ICON }],
  // Of a maskable one only the middle is sure to be seen.
  ['app-maskable', { side: 256, ground: ICON_COLOURS.ground, share: 76, drawn: ICON }],
  // Of a badge the shape alone is shown.
  ['badge', { side: 48, ground: 'transparent', share: 125, drawn: ICON.replace(/<rect[^>]*>/, '') }],
];

test.each(ICONS)('the icon as PNG: %s', async (name, { side, ground, share, drawn }) => {
  const page = await openPage('data:text/html,<!doctype html><meta name="viewport" content="width=device-width">', {
    width: side,
    height: side,
    scripts: 'on',
  });
  const inset = (100 - share) / 2;
  const style = `body{margin:0;overflow:hidden;background:${ground}}svg{position:fixed;left:${inset}vw;top:${inset}vh;width:${share}vw;height:${share}vh}`;
  await page.evaluate(
    `document.write(${JSON.stringify(`<!doctype html><meta name="viewport" content="width=device-width"><style>${style}</style>${drawn}`)}), document.close()`,
  );
  await page.ask('Emulation.setDefaultBackgroundColorOverride', { color: { r: 0, g: 0, b: 0, a: 0 } });
  await writeFile(
    fileURLToPath(new URL(`../../facade/console/design/${name}.png`, import.meta.url)),
    await page.screenshot(),
  );
});

test('the pictures', async () => {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const world = await startWorld({ smtpUrl: smtp.url, publicUrl: 'https://alarm.example.com' });
  const owner = await world.account({ address: '12 Elm Street\n1010 Vienna', ownerEmail: 'anna@example.com' });
  await world.rows("UPDATE account SET name = 'Example family', owner_time_zone = 'Europe/Vienna'");
  const anna = await owner.contact('Anna', { email: 'anna@example.com' });
  const noah = await owner.contact('Noah', { email: 'noah@example.com' });
  await world.rows("UPDATE contact SET locale = 'en-GB', time_zone = 'Europe/Vienna'");
  const policyId = await owner.policy([
    { delayS: 0, contacts: [{ contactId: anna, channels: ['email'] }] },
    { delayS: 300, contacts: [{ contactId: noah, channels: ['email'] }] },
  ]);
  await world.rows("UPDATE policy SET name = 'Family first'");
  const bound = { policyId };
  const modes = { home: bound, away: bound, night: bound, vacation: bound };
  const [house, workshop] = [
    await owner.alarm({ name: 'House', modes }),
    await owner.alarm({ name: 'Workshop', modes }),
  ];
  await owner.alarm({ name: 'Garage', modes, test: true });
  await owner.panicButton({ name: 'Bedside', policyId });
  const key = await owner.key();
  await world.rows("UPDATE api_key SET label = 'Hall camera'");
  // 3:12 in Vienna.
  await advanceClock(world.store.pool, 6 * 3600 + 12 * 60);
  await world.rows("UPDATE contact_channel SET proven_at = tocsin_now() - interval '12 days'");
  for (const alarm of [house, workshop]) await world.get(`/v1/alarm/${alarm}/arm/night`, key);
  await world.settle();

  const desk = await openConsole(world.url, world.operator, DESK);
  await shows(desk, 'Workshop');
  await eventually(() => desk.evaluate<boolean>("document.querySelector('.skeleton') === null"), {
    what: 'all of Home',
  });
  await keep(desk, 'home');

  await world.get(`/v1/alarm/${house}/trigger/night`, key);
  await world.settle();
  await world.advance(40);
  await world.get(`/v1/alarm/${house}/trigger/night`, key);
  await world.settle();
  const mail = await smtp.next(({ envelope }) => envelope.to.includes('anna@example.com'));
  const link = world.url + (/\/i\/[\w-]{48}/.exec(mail.text ?? '')?.[0] ?? '');
  const alerted = await openPage(link, PHONE);
  await shows(alerted, 'Nobody has acknowledged this yet.');
  const phones = [await alerted.screenshot()];
  await alerted.turnTo({ ...PHONE, scheme: 'dark' });
  await desk.turnTo(PHONE);
  await shows(desk, 'Acknowledge');
  phones.push(await desk.screenshot(), await alerted.screenshot());

  await world.advance(200);
  await alerted.tap('button.acknowledge');
  await shows(alerted, 'Acknowledged by you');
  const [incident] = await owner.incidents();
  await desk.turnTo(DESK);
  await desk.open(`${world.url}/incidents/${incident!.id}`);
  await shows(desk, 'What happened');
  await keep(desk, 'incident');

  const images = phones.map(phone => `<img src="data:image/png;base64,${phone.toString('base64')}">`);
  const style = `body{display:flex;justify-content:center;gap:40px;margin:0;padding:32px;background:${COLOURS.line[0]}}img{width:300px;border-radius:28px}`;
  await desk.turnTo({ width: 1080, height: 714, scripts: 'on' });
  await desk.open(`data:text/html,<title>Phones</title>`);
  await desk.evaluate(
    `document.write(${JSON.stringify(`<style>${style}</style>${images.join('')}`)}), document.close()`,
  );
  await desk.evaluate(`Promise.all([...document.images].map(image => image.decode())).then(() => 0)`);
  await keep(desk, 'phone');
});
