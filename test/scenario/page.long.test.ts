import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startFacade } from '../../facade/app.ts';
import { COLOURS } from '../../services/process/tokens.ts';
import { createLinks } from '../../services/responder/links.ts';
import { needsChromium, openPage, type Page, type Screen } from '../support/chromium.ts';
import { consoleOf } from '../support/console.ts';
import { facadeConfig } from '../support/facade-config.ts';
import { measure } from '../support/legible.ts';
import { eventually } from '../support/wait.ts';
import { PEPPER } from '../support/world.ts';
import { aNight } from './page-rig.ts';

/*
 * The page for the person who was woken up (DECISIONS.md "Acknowledge"), where they see it: in a real browser at the width of
 * a telephone. The pictures are left in the folder for temporary files, to be looked at.
 */

const PHONE: Screen = { width: 360, height: 740, scripts: 'on' };

needsChromium();

/** Takes the picture, keeps it, and shows that it is one of the whole screen with something on it. */
async function picture(page: Page, name: string): Promise<void> {
  const png = await page.screenshot();
  await writeFile(join(tmpdir(), `tocsin-page-${name}.png`), png);
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([2 * PHONE.width, 2 * PHONE.height]);
  expect(png.length).toBeGreaterThan(15_000);
}

/** What everybody must be able to read and to touch, whatever the page says. */
async function expectLegible(page: Page) {
  const seen = await measure(page);
  expect(seen.sideways).toBeLessThanOrEqual(0);
  expect(seen.smallestText).toBeGreaterThanOrEqual(18);
  expect(seen.leastContrast).toBeGreaterThanOrEqual(7);
  expect(seen.titleSize).toBeGreaterThanOrEqual(1.5 * 20);
  for (const button of seen.buttons) {
    expect(button).toMatchObject({ place: 'seen at once' });
    expect(button.height).toBeGreaterThanOrEqual(56);
    expect(button.width).toBeGreaterThanOrEqual(PHONE.width - 40);
  }
  return seen;
}

/** `#ff0080` as a browser says it. */
const rgbOf = (colour: string) =>
  `rgb(${[1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16)).join(', ')})`;

const text = (page: Page) => page.evaluate<string>(`document.querySelector('main').innerText.replace(/\\u00a0/g, ' ')`);

async function shows(page: Page, wanted: string): Promise<void> {
  await eventually(async () => (await text(page)).includes(wanted), { what: `the page to show “${wanted}”` });
}

test('whoever is woken up sees at once what, where and when, and acknowledges with one touch', async () => {
  const { world, owner, act, linkTo, smtp } = await aNight();
  await act('trigger');
  const page = await openPage(await linkTo('anna@example.com'), PHONE);
  await picture(page, 'open');
  const seen = await expectLegible(page);
  expect(seen.seenAtOnce).toEqual(
    expect.arrayContaining([
      'LIVE',
      'ALARM: House - Away (A key)',
      'Nobody has acknowledged this yet.',
      'The alarm "House" was triggered (mode: Away).',
      'Home, 12 Elm Street, 1010 Vienna',
      '3:12 AM, Friday, January 16 (Europe/Vienna)',
    ]),
  );
  expect(seen.buttons.map(({ label }) => label)).toEqual(['Acknowledge', 'Close the alarm']);
  expect(await text(page)).toMatch(
    /Who is alerted\s+Anna, email: sent at 3:12 AM\s+Ben, email: due at 3:17 AM[\s\S]+This page is for Anna\./,
  );
  expect(await text(page)).not.toContain('example.com');
  const elsewhere = `performance.getEntriesByType('resource').filter(({ name }) => !name.startsWith(location.origin))`;
  expect(await page.evaluate(`${elsewhere}.length`)).toBe(0);

  await page.tap('button.acknowledge');
  await shows(page, 'Acknowledged by you at 3:12 AM.');
  await picture(page, 'acknowledged');
  expect((await expectLegible(page)).buttons.map(({ label }) => label)).toEqual(['Close the alarm']);
  await world.advance(3600);
  expect(smtp.mails.map(mail => mail.envelope.to[0])).toEqual(['anna@example.com']);
  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ acknowledgedBy: 'Anna', status: 'open' });

  await page.tap('summary');
  await shows(page, 'This ends the alarm for everyone. Nobody else will be alerted.');
  expect((await owner.incidents())[0]).toMatchObject({ status: 'open' });
  await picture(page, 'asked');
  expect((await expectLegible(page)).buttons.map(({ label }) => label)).toEqual([
    'Close the alarm',
    'Close: it was real',
    'Close: a false alarm',
    'Close: only a test',
  ]);
  await page.tap('button.close');
  await shows(page, 'Closed by Anna at 4:12 AM.');
  await picture(page, 'closed');
  const over = await expectLegible(page);
  expect(over.buttons).toEqual([]);
  expect(over.seenAtOnce).not.toContain('LIVE');
  expect(page.complaints).toEqual([]);
});

test('how long it is open is counted on, also over the time that a telephone slept', async () => {
  const { act, linkTo } = await aNight();
  await act('trigger');
  const page = await openPage(await linkTo('anna@example.com'), PHONE);
  const clock = () => page.evaluate<string>(`document.querySelector('.clock').textContent`);
  const before = await clock();
  await eventually(async () => (await clock()) !== before, { what: 'the clock to go on' });
  await page.evaluate(`(now => { Date.now = () => now() + 25 * 60_000; })(Date.now)`);
  await eventually(async () => /^2[56]:\d\d$/.test(await clock()), {
    what: 'the clock to show what was slept through',
  });
});

test('a page follows what others do without being reloaded, and no touch goes astray', async () => {
  const { world, act, linkTo } = await aNight();
  await act('trigger');
  const annas = await linkTo('anna@example.com');
  const page = await openPage(annas, PHONE);
  await page.evaluate('window.sameOne = 1');
  const thumb = await page.evaluate<number>(
    `(({ y, height }) => y + height / 2)(document.querySelector('button.acknowledge').getBoundingClientRect())`,
  );
  const under = `document.elementFromPoint(180, ${thumb}).tagName`;
  expect(await page.evaluate(under)).toBe('BUTTON');
  await world.advance(300);
  await shows(page, 'Ben, email: sent at 3:17 AM');
  await fetch(`${await linkTo('ben@example.com')}/acknowledge`, { method: 'POST' });
  await shows(page, 'Acknowledged by Ben at 3:17 AM.');
  expect(await text(page)).toContain('Ben, 3:17 AM, using the link');
  // A thumb on its way to the button must not end the alarm instead.
  expect(['BUTTON', 'SUMMARY']).not.toContain(await page.evaluate(under));
  await act('trigger');
  await shows(page, '2 times, last at 3:17 AM');
  await act('clear');
  await shows(page, 'Closed at 3:17 AM: the alarm was cleared.');
  expect(await page.evaluate('window.sameOne')).toBe(1);
  expect(page.complaints).toEqual([]);
});

test('a page that cannot be followed any more says so, and that it is well again', async () => {
  const { world, act, linkTo } = await aNight();
  await act('trigger');
  const link = new URL(await linkTo('anna@example.com'));
  const log = pino({ level: 'silent' });
  const open = async (port: number) =>
    startFacade({
      transport: world.services.transport,
      config: facadeConfig({ port }),
      log,
    });
  const first = await open(0);
  const page = await openPage(first.url + link.pathname, PHONE);
  const offline = 'No connection: this page may be out of date.';
  await shows(page, 'Nobody has acknowledged this yet.');
  expect(await text(page)).not.toContain(offline);
  await first.close();
  await shows(page, offline);
  await picture(page, 'offline');
  await expectLegible(page);
  const second = await open(Number(new URL(first.url).port));
  onTestFinished(second.close);
  await act('clear');
  await shows(page, 'the alarm was cleared.');
  expect(await text(page)).not.toContain(offline);
});

test('a telephone without JavaScript sees the same, asks anew by itself and acts by plain forms', async () => {
  const { owner, act, linkTo } = await aNight({ locale: 'de-AT' });
  await act('trigger');
  const link = await linkTo('anna@example.com');
  expect(await (await fetch(link)).text()).toContain('<noscript><meta http-equiv="refresh" content="15"></noscript>');
  const page = await openPage(link, { ...PHONE, scripts: 'off' });
  await picture(page, 'without-scripts');
  const seen = await expectLegible(page);
  expect(seen.seenAtOnce).toEqual(
    expect.arrayContaining(['ECHTER ALARM', 'Noch hat niemand übernommen.', 'Home, 12 Elm Street, 1010 Vienna']),
  );
  expect(seen.buttons.map(({ label }) => label)).toEqual(['Ich übernehme', 'Alarm beenden']);
  await page.tap('button.acknowledge');
  await shows(page, 'Von Ihnen übernommen um 3:12.');
  expect(await page.evaluate('location.href')).toBe(link);
  expect(await owner.incidents()).toMatchObject([{ acknowledgedBy: 'Anna' }]);
});

test('a rehearsal cannot be mistaken for the real thing', async () => {
  const { world, owner, act } = await aNight({ test: true });
  await act('trigger');
  const [incident] = await owner.incidents();
  // In test nobody is sent a link: this is the one that they would have.
  const links = createLinks({ pepper: PEPPER, publicUrl: () => world.url });
  const { pageUrl } = links.wayBackOf(incident!.deliveries[0]!.id, 1)!;
  const page = await openPage(pageUrl, PHONE);
  await picture(page, 'test');
  const seen = await expectLegible(page);
  expect(seen.seenAtOnce).toEqual(expect.arrayContaining(['TEST', '[TEST] ALARM: House - Away (A key)']));
  expect(await text(page)).toContain('TEST: this is a rehearsal. No action needed.');
  expect(await text(page)).toContain('Anna, email: would be sent at 3:12 AM');
  const band = await page.evaluate<string[]>(
    `(({ backgroundColor, borderTopStyle }) => [backgroundColor, borderTopStyle])(getComputedStyle(document.querySelector('.environment')))`,
  );
  expect(band).toEqual([rgbOf(COLOURS['test-solid'][0]), 'dashed']);
  expect(band[0]).not.toBe(rgbOf(COLOURS['live-solid'][0]));
});

test('what tripped it stands on the page, with links to look at it that a thumb finds at once', async () => {
  const { world, owner, alarmId, linkTo } = await aNight();
  const own = consoleOf(world, world.operator, owner.accountId);
  for (const [label, lookUrl] of [
    ['Front door camera', 'https://cameras.example.com/front'],
    ['Hall motion', ''],
    ['Kitchen camera', 'http://192.168.1.20/kitchen'],
  ] as const) {
    const { secret } = await own.apiKeys.createApiKey({ apiKey: { label, lookUrl } });
    await world.get(`/v1/alarm/${alarmId}/trigger`, secret);
  }
  await world.settle();
  const link = await linkTo('anna@example.com');
  const screens = { phone: PHONE, desktop: { width: 1280, height: 800, scripts: 'on' } } as const;
  for (const [name, screen] of Object.entries(screens)) {
    for (const scheme of ['light', 'dark'] as const) {
      const page = await openPage(link, { ...screen, scheme });
      await writeFile(join(tmpdir(), `tocsin-page-look-${name}-${scheme}.png`), await page.screenshot());
      const seen = await measure(page);
      expect(seen.sideways).toBeLessThanOrEqual(0);
      expect(seen.leastContrast).toBeGreaterThanOrEqual(7);
      expect(seen.seenAtOnce).toEqual(
        expect.arrayContaining([
          'ALARM: House - Away (Front door camera)',
          'Look here: Front door camera',
          'Look here: Kitchen camera',
          'Acknowledge',
        ]),
      );
      expect(await text(page)).toContain('Tripped by\nFront door camera, then Hall motion, Kitchen camera\n');
      const links = await page.evaluate<[number, string, string][]>(
        `[...document.querySelectorAll('.look a')].map(one => [one.getBoundingClientRect().height, one.href, one.rel])`,
      );
      expect(links.map(([, ...where]) => where)).toEqual([
        ['https://cameras.example.com/front', 'noopener noreferrer'],
        ['http://192.168.1.20/kitchen', 'noopener noreferrer'],
      ]);
      for (const [height] of links) expect(height).toBeGreaterThanOrEqual(56);
      expect(page.complaints).toEqual([]);
    }
  }
});

test('texts of attackers stay texts: nothing runs, nothing is pushed off the screen', async () => {
  const name = `<img src=x onerror=alert(1)>"'&{{7*7}}\u202e\u0007${'W'.repeat(10_000)}`;
  const { act, linkTo } = await aNight({ name, address: `</dd><script>alert(1)</script>\r\n${'x'.repeat(10_000)}` });
  await act('trigger');
  const link = await linkTo('anna@example.com');
  const page = await openPage(link, PHONE);
  await picture(page, 'hostile');
  await expectLegible(page);
  const shown = await text(page);
  expect(shown).toContain(`ALARM: <img src=x onerror=alert(1)>"'&{{7*7}} WWW`);
  expect(shown).toContain('</dd><script>alert(1)</script>, xxx');
  expect(await page.evaluate(`document.querySelectorAll('img, main script').length`)).toBe(0);
  expect(page.complaints).toEqual([]);
  expect(Buffer.byteLength(await (await fetch(link)).text())).toBeLessThan(20_000);
});
