import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { startLine } from '../../support/line.ts';
import { eventually } from '../../support/wait.ts';
import { aHouse, DESK, furnish, openConsole, PHONE, press, shows, startConsole, text } from './console-rig.ts';

needsChromium();

/** All that the screen says but the clock. */
const shown = (page: Page) =>
  page.evaluate<string>(`(() => {
    const main = document.querySelector('main').cloneNode(true);
    main.querySelector('.freshness').remove();
    return main.textContent;
  })()`);

const FAILS = [
  ['services', 'cut'],
  ['services', 'silence'],
  ['facade', 'cut'],
  ['facade', 'silence'],
] as const;

test.each(FAILS)(
  'says within 5 s that it is not up to date (%s: %s), and is then what a fresh load shows',
  async (way, fails) => {
    const console = await startConsole();
    const { world, owner } = console;
    const toFacade = await startLine(Number(new URL(console.url).port));
    const line = way === 'facade' ? toFacade : console.line;
    const url = `http://127.0.0.1:${toFacade.port}`;
    const { house, workshop, key } = await furnish(console);
    await world.get(`/v1/alarm/${workshop}/trigger/away`, key);
    await world.settle();
    const [incident] = await owner.incidents();
    const home = await openConsole(url, world.operator, DESK);
    const list = await home.another(`${url}/incidents`);
    await shows(list, 'Up to date');
    const one = await home.another(`${url}/incidents/${incident!.id}`);
    await shows(one, 'Up to date');
    const pages = [home, list, one];
    line[fails]();
    const broken = Date.now();
    await Promise.all(pages.map(page => shows(page, 'Not up to date since', 5_000 - (Date.now() - broken))));
    await world.get(`/v1/alarm/${house}/trigger/night`, key);
    await world.get(`/v1/alarm/${workshop}/clear`, key);
    await world.settle();
    for (const page of pages) expect(await text(page)).not.toMatch(/House (is triggered|— Night)|was cleared/);
    line.mend();
    await Promise.all([
      shows(home, 'House is triggered', 20_000),
      shows(list, 'House — Night', 20_000),
      shows(one, 'was cleared', 20_000),
    ]);
    for (const page of pages) {
      await shows(page, 'Up to date', 20_000);
      expect(await text(page)).not.toContain('Not up to date');
      const fresh = await page.another(await page.evaluate('location.href'));
      await shows(fresh, 'Up to date');
      await eventually(async () => (await shown(page)) === (await shown(fresh)), {
        what: 'a fresh load to show the same',
      });
      await fresh.close();
    }
  },
  120_000,
);

/** From now on the page is told nothing by a stream: as through a proxy that holds back what comes bit by bit. */
async function withoutStream(page: Page): Promise<void> {
  await page.ask('Fetch.enable', { patterns: [{ urlPattern: '*/WatchIncidents' }] });
}

test('where no stream gets through it reads again and again, and says so when it cannot', async () => {
  const console = await startConsole();
  const { world, line, url } = console;
  const { house, key } = await furnish(console);
  const page = await openConsole(url, world.operator, DESK);
  await withoutStream(page);
  await page.open(url);
  await shows(page, 'Workshop');
  await world.get(`/v1/alarm/${house}/trigger/away`, key);
  await world.settle();
  await shows(page, 'House is triggered');
  expect(await text(page)).not.toContain('Not up to date');
  line.cut();
  await shows(page, 'Not up to date since', 5_000);
  await world.get(`/v1/alarm/${house}/clear`, key);
  await world.settle();
  line.mend();
  await eventually(async () => !/House is triggered|Not up to date/.test(await text(page)), { what: 'the clear' });
}, 60_000);

/** Puts the page into the background, or before the reader, `later` milliseconds on. */
const becomes = (page: Page, is: 'hidden' | 'visible', later: number) =>
  page.evaluate(`(() => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + ${later};
    Object.defineProperty(document, 'visibilityState', { value: '${is}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  })()`);

test('a page that wakes without a network says since when it has known nothing', async () => {
  const console = await startConsole();
  const { world, line, url } = console;
  await furnish(console);
  const page = await openConsole(url, world.operator, PHONE);
  await page.evaluate(`void (document.querySelector('main').dataset.slept = new Date().toISOString())`);
  await becomes(page, 'hidden', 0);
  line.silence();
  await becomes(page, 'visible', 5 * 3_600_000);
  await shows(page, 'Not up to date since', 5_000);
  const slept = new Date(await page.evaluate<string>(`document.querySelector('main').dataset.slept`));
  const [since] = /[0-9]{2}:[0-9]{2}:[0-9]{2}/.exec(await page.evaluate(`document.querySelector('#stale').innerText`))!;
  const clock = (ms: number) =>
    new Date(ms).toLocaleTimeString('en-GB', { timeZone: 'Europe/Vienna', hourCycle: 'h23' });
  const around = Array.from({ length: 8 }, (_, second) => clock(slept.getTime() + (second - 6) * 1_000));
  expect(around).toContain(since);
}, 60_000);

/** Answers the calls of a method as if the services refused them with a code of Connect, until the function it returns is called. */
async function refuses(page: Page, method: string, code: string, status: number): Promise<() => Promise<unknown>> {
  const answer = {
    responseCode: status,
    responseHeaders: [{ name: 'content-type', value: 'application/json' }],
    body: Buffer.from(JSON.stringify({ code, message: 'Not now.' })).toString('base64'),
  };
  const deaf = page.hear<{ requestId: string }>('Fetch.requestPaused', ({ requestId }) => {
    // The page may have gone elsewhere meanwhile: what it asked for is then nobody's any more.
    page.ask('Fetch.fulfillRequest', { requestId, ...answer }).catch(() => {});
  });
  await page.ask('Fetch.enable', { patterns: [{ urlPattern: `*/${method}` }] });
  return () => {
    deaf();
    return page.ask('Fetch.disable');
  };
}

test('what somebody else deletes goes from the screen; what cannot be read is neither gone nor up to date', async () => {
  const { world, house, workshop, url, key, owner, seen } = await aHouse();
  await world.get(`/v1/alarm/${house}/trigger/away`, key);
  await world.settle();
  const [incident] = await owner.incidents();
  const page = await openConsole(url, world.operator, DESK);
  const goOn = await refuses(page, 'GetIncident', 'resource_exhausted', 429);
  await page.open(`${url}/incidents/${incident!.id}`);
  await shows(page, 'Not now.');
  expect(await text(page)).not.toContain('There is no such incident');
  await goOn();
  await shows(page, 'House — Away');
  await shows(page, 'Up to date');

  const readsAgain = await refuses(page, 'GetIncident', 'failed_precondition', 400);
  // It is read again within five seconds, and old after four more.
  await shows(page, 'Not up to date since', 30_000);
  await shows(page, 'House — Away');
  await readsAgain();
  await eventually(async () => !(await text(page)).includes('Not up to date'), { what: 'it to be read' });

  await page.open(`${url}/alarms/${workshop}`);
  await shows(page, 'Would it work?');
  await seen.alarms.deleteAlarm({ alarmId: workshop });
  await shows(page, 'There is no such alarm');
  // Parts of the screen that are read by themselves may hear of it first.
  await eventually(async () => !(await text(page)).includes('Would it work?'), { what: 'the alarm to go' });
}, 60_000);

test('an acknowledgement on a dead line is given up with a word, and may be tried again', async () => {
  const { world, house, url, key, owner } = await aHouse();
  await world.get(`/v1/alarm/${house}/trigger/away`, key);
  await world.settle();
  const page = await openConsole(url, world.operator, PHONE);
  await shows(page, 'Acknowledge');
  await page.ask('Fetch.enable', { patterns: [{ urlPattern: '*/Acknowledge' }] });
  await press(page, 'Acknowledge');
  await shows(page, 'Acknowledge House');
  await page.tap('dialog button[type=submit]');
  await shows(page, 'That did not work.', 15_000);
  await page.ask('Fetch.disable');
  await page.tap('dialog button[type=submit]');
  await eventually(async () => (await owner.incidents()).some(({ acknowledgedAt }) => acknowledgedAt !== undefined), {
    what: 'the incident to be acknowledged',
  });
}, 60_000);
