import { expect, test } from 'vitest';
import { needsChromium, openPage, type Page } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import { aHouse, choose, DESK, openConsole, press, shows, signIn, startConsole, text } from './console-rig.ts';

needsChromium();

interface Paused {
  requestId: string;
}

/** Stops the files that a pattern names on their way. */
async function holdBack(page: Page, ...files: string[]) {
  const held: Paused[] = [];
  let state: 'held' | 'passing' = 'held';
  const pass = ({ requestId }: Paused) => page.ask('Fetch.continueRequest', { requestId });
  page.hear<Paused>('Fetch.requestPaused', paused => {
    if (state === 'held') held.push(paused);
    else void pass(paused);
  });
  await page.ask('Fetch.enable', { patterns: files.map(urlPattern => ({ urlPattern })) });
  return {
    held,
    passOthers() {
      state = 'passing';
    },
    passHeld: () => Promise.all(held.map(pass)),
  };
}

/** From now on such files cannot be had. */
async function lose(page: Page, urlPattern: string): Promise<void> {
  page.hear<Paused>('Fetch.requestPaused', ({ requestId }) => {
    void page.ask('Fetch.failRequest', { requestId, errorReason: 'ConnectionFailed' });
  });
  await page.ask('Fetch.enable', { patterns: [{ urlPattern }] });
}

test('another language chosen while a screen is on its way is the one that it speaks', async () => {
  const { world, url } = await startConsole();
  const page = await openPage(url, DESK);
  // The words of all screens but the first ones, which a part of Home asks for as well.
  const files = await holdBack(page, '*things-*', '*-rest-*');
  await signIn(page, world.operator);
  await shows(page, 'Up to date');
  await page.evaluate(`document.querySelector('nav a[href$="/keys"]').click()`);
  await eventually(() => files.held.length >= 2, { what: 'the screen and its words to be asked for' });
  files.passOthers();
  await choose(page, '.who select', 'de');
  await eventually(() => page.evaluate(`document.documentElement.lang === 'de'`), { what: 'the page to speak German' });
  await files.passHeld();
  await eventually(() => page.evaluate(`document.querySelector('h1')?.innerText === 'API-Schlüssel'`), {
    what: 'the screen in German',
  });
  expect(await page.evaluate('document.documentElement.lang')).toBe('de');
  expect(page.complaints.filter(complaint => complaint.includes('exceptionThrown'))).toEqual([]);
});

test('a language that cannot be had is said so, and the page goes on in the one it speaks', async () => {
  const { world, url } = await startConsole();
  const page = await openConsole(url, world.operator, DESK);
  await lose(page, '*first-*');
  await choose(page, '.who select', 'de');
  await shows(page, 'This language could not be loaded.');
  expect(await page.evaluate(`document.querySelector('.who select').selectedOptions[0].text`)).toBe('English');
  expect(page.complaints.filter(complaint => complaint.includes('exceptionThrown'))).toEqual([]);
});

test('a page whose words cannot be had is not empty', async () => {
  const { url } = await startConsole();
  const page = await openPage('data:text/html,<title>Nothing</title>', DESK);
  await lose(page, '*first-*');
  await page.open(url);
  await shows(page, 'Tocsin could not be loaded.');
  await shows(page, 'Load the page again');
});

test('a browser that does not know the zone of the account shows the times in UTC, and says so', async () => {
  const { world, house, url, key } = await aHouse();
  await world.get(`/v1/alarm/${house}/trigger/away`, key);
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);
  await page.ask('Page.addScriptToEvaluateOnNewDocument', {
    source: `Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
      construct(of, [language, options]) {
        if (options?.timeZone === 'Europe/Vienna') throw new RangeError('Invalid time zone specified: Europe/Vienna');
        return new of(language, options);
      },
    });`,
  });
  await page.open(url);
  await shows(page, 'House is triggered');
  await shows(page, 'This browser does not know the time zone Europe/Vienna: all times are in UTC.');
});

test('where the browser does not let a page copy, the traceId is marked for its reader', async () => {
  const { world, house, url, key } = await aHouse();
  await world.get(`/v1/alarm/${house}/trigger/away`, key);
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);
  await shows(page, 'Trigger · House');
  // As over plain http.
  await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
  await page.evaluate(`void (document.querySelector('.call details').open = true)`);
  await press(page, 'Copy: the traceId');
  await eventually(
    async () =>
      (await page.evaluate('getSelection().toString()')) ===
      (await page.evaluate(`document.querySelector('.call code').innerText`)),
    { what: 'the traceId to be marked' },
  );
  expect(await text(page)).not.toContain('Copied');
});
