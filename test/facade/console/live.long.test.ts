import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { eventually, expectInTime } from '../../support/wait.ts';
import { DESK, furnish, openConsole, PHONE, shows, signIn, startConsole, text } from './console-rig.ts';

needsChromium();

const ROUNDS = 40;

/** From the answer of the call to the sentence on the screen, in milliseconds, as the page itself saw it. */
const SEEN = `new Promise(resolve => {
  const look = () => document.querySelector('h1')?.innerText.startsWith('House is triggered') && resolve(Date.now());
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
  look();
})`;

test('shows a trigger from outside at once, and acknowledges it with one tap and one confirmation', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  const { house, key } = await furnish(console);
  await world.get(`/v1/alarm/${house}/arm/night`, key);
  await world.settle();
  const page = await openConsole(url, world.operator, PHONE);
  // The machine may do other work besides: one of three tries without it is enough.
  const tries: number[] = [];
  while (tries.length < 3 && !(tries.at(-1)! <= 500)) tries.push(await p95OfRounds());
  process.stdout.write(`A trigger is seen after (p95 of ${ROUNDS}): ${tries.map(ms => `${ms} ms`).join(', ')}.\n`);
  expectInTime(Math.min(...tries), 500);

  async function p95OfRounds(): Promise<number> {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await world.get(`/v1/alarm/${house}/clear`, key);
      await world.settle();
      await eventually(async () => !(await text(page)).includes('House is triggered'), {
        what: 'the clear to be seen',
      });
      const seen = page.evaluate<number>(SEEN);
      const { status } = await world.get(`/v1/alarm/${house}/trigger`, key);
      const answered = Date.now();
      expect(status).toBe(202);
      await world.settle();
      times.push((await seen) - answered);
    }
    return times.toSorted((one, other) => one - other)[Math.ceil(ROUNDS * 0.95) - 1]!;
  }

  await shows(page, 'Next to be alerted: Noah');
  await shows(page, 'Every message has failed.');
  await page.tap('.acknowledge');
  await shows(page, 'Acknowledge House — Night?');
  await page.tap('dialog button[type=submit]');
  const acknowledged = await eventually(
    async () => (await owner.incidents()).find(({ acknowledgedAt }) => acknowledgedAt !== undefined),
    { what: 'the incident to be acknowledged' },
  );
  expect(acknowledged).toMatchObject({ status: 'open', acknowledgedVia: 'console' });
  await shows(page, 'Acknowledged by');
  expect(page.complaints.filter(complaint => !complaint.includes('401'))).toEqual([]);
}, 240_000);

const bothRows = (page: Page) =>
  eventually(() => page.evaluate(`document.querySelectorAll('.pick input').length === 2`), { what: 'both rows' });

test('closes many at once, keeps filters in the URL over "back", and comes back to the same page after signing in', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  const { house, workshop, key } = await furnish(console);
  for (const id of [house, workshop]) await world.get(`/v1/alarm/${id}/trigger/away`, key);
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/incidents?status=open`);
  await shows(page, '2 open, 2 of them not acknowledged.');
  await bothRows(page);
  await page.tap('.pick a');
  await shows(page, 'What happened');
  await page.evaluate('history.back()');
  await shows(page, '2 open');
  await bothRows(page);
  expect(await page.evaluate('location.search')).toBe('?status=open');
  await page.evaluate(`document.querySelectorAll('.pick input').forEach(box => box.click())`);
  await shows(page, '2 selected');
  await page.tap('.many .close');
  await shows(page, 'Close 2 incidents?');
  await page.tap('dialog button[type=submit]');
  await shows(page, 'Nothing is open.');
  expect((await owner.incidents()).map(({ status }) => status)).toEqual(['closed', 'closed']);

  expect(await page.evaluate('document.cookie')).toBe('');
  await page.evaluate(
    `[...document.querySelectorAll('.who button')].find(one => one.innerText === 'Sign out').click()`,
  );
  await shows(page, 'Email me a code');
  await page.open(`${url}/calls`);
  await shows(page, 'You are signed out');
  await signIn(page, world.operator);
  await shows(page, 'Every call from a device');
});

test('serves seven tabs of one browser over HTTP/1.1, and goes on when the one that holds the stream is closed', async () => {
  const console = await startConsole();
  const { world, url } = console;
  const { house, key } = await furnish(console);
  const first = await openConsole(url, world.operator, DESK);
  const others: Page[] = [];
  for (let tab = 0; tab < 6; tab++) others.push(await first.another(url));
  for (const tab of others) await shows(tab, 'Up to date');
  await world.get(`/v1/alarm/${house}/trigger/away`, key);
  await world.settle();
  for (const tab of [first, ...others]) await shows(tab, 'House is triggered');
  await first.close();
  await world.get(`/v1/alarm/${house}/clear`, key);
  await world.settle();
  for (const tab of others) {
    await eventually(async () => !(await text(tab)).includes('House is triggered'), { what: 'the clear to be seen' });
    await shows(tab, 'Up to date');
  }
}, 60_000);

test('Home asks for everything at once, and for nothing twice', async () => {
  const console = await startConsole();
  await furnish(console);
  const page = await openConsole(console.url, console.world.operator, DESK);
  await page.open(console.url);
  await shows(page, 'Up to date');
  await shows(page, 'Workshop');
  const asked = await eventually(
    async () => {
      const all = await page.evaluate<Asked[]>(ASKED);
      return OF_HOME.every(of => all.some(one => one.of === of)) && all;
    },
    { what: 'the answers to all of it' },
  );
  const first = OF_HOME.map(of => asked.find(one => one.of === of)!);
  for (const { of, from } of first) {
    expect(from, of).toBeLessThan(Math.min(...first.map(({ to }) => to)));
    // What was asked again because something happened comes later.
    expect(asked.filter(one => one.of === of && one.from < from + 100).length, of).toBe(1);
  }
});

/** What the page called: when it asked, and when the answer began. */
interface Asked {
  of: string;
  from: number;
  to: number;
}

const ASKED = `performance.getEntriesByType('resource')
  .filter(({ name }) => name.includes('/rpc/'))
  .map(({ name, startTime, responseStart }) => ({ of: name.split('/').at(-1), from: startTime, to: responseStart }))`;

const OF_HOME = ['ListIncidents', 'GetReadiness', 'ListLocations', 'ListAlarms', 'ListPanicButtons', 'ListCalls'];
