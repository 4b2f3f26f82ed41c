import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import {
  DESK,
  furnish,
  openConsole,
  PHONE,
  press,
  shows,
  startConsole,
  startConsoleWithMail,
  text,
} from './console-rig.ts';
import { faultsOf } from './looks-rig.ts';

needsChromium();

const ROUNDS = 20;

/** Nothing on the page is read again because time has passed: what it shows anew, it was told of. */
const NO_POLLING = `{
  performance.setResourceTimingBufferSize(100_000);
  const { setInterval: often } = window;
  window.setInterval = (act, ms, ...rest) => (ms >= 5_000 ? 0 : often(act, ms, ...rest));
}`;

async function withoutPolling(page: Page, url: string): Promise<void> {
  await page.ask('Page.addScriptToEvaluateOnNewDocument', { source: NO_POLLING });
  await page.open(url);
  await shows(page, 'Up to date');
}

/** For longer than any rest between two signals nothing was told: the next is the first of its kind. */
const quiet = (page: Page) =>
  eventually(
    () =>
      page.evaluate<boolean>(`performance.now() - Math.max(...performance.getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('/ListWindows')).map(({ responseEnd }) => responseEnd)) > 1_200`),
    { what: 'the page to be quiet' },
  );

/** When the page first shows what `is` finds in it, in milliseconds since 1970 by the clock that the test goes by too. */
const seen = (page: Page, is: string) =>
  page.evaluate<number>(`new Promise(resolve => {
    const look = () => (${is}) && (resolve(Date.now()), true);
    if (!look()) new MutationObserver((_, own) => look() && own.disconnect())
      .observe(document.body, { subtree: true, childList: true, characterData: true });
  })`);

test('an arming, a refused call and a window are shown as they happen, without reading again and again', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  const { house, key } = await furnish(console);
  const policyId = await owner.policy([]);
  const gate = await owner.alarm({ name: 'Gate', modes: { away: { policyId, windowS: 120 } } });
  const page = await openConsole(url, world.operator, DESK);
  await withoutPolling(page, url);
  await shows(page, 'Gate');

  /** What happens and when it is seen, turn by turn; how long the 19th fastest of twenty took from the answer on is printed. */
  async function measure(what: string, turns: readonly { path: string; is: string }[]): Promise<void> {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { path, is } = turns[round % turns.length]!;
      expect(await page.evaluate<boolean>(`Boolean(${is})`), `${path} is seen before it happens`).toBe(false);
      await quiet(page);
      const at = seen(page, is);
      await world.get(path, key);
      const answered = Date.now();
      times.push((await at) - answered);
    }
    const p95 = times.toSorted((one, other) => one - other)[Math.ceil(ROUNDS * 0.95) - 1]!;
    process.stdout.write(`${what}: seen after ${p95} ms (p95 of ${ROUNDS}).\n`);
  }

  const state = `document.querySelector('main a[href$="alarms/${house}"]').closest('li').innerText`;
  await measure('Armed or disarmed', [
    { path: `/v1/alarm/${house}/arm/night`, is: `${state}.includes('Armed')` },
    { path: `/v1/alarm/${house}/disarm`, is: `${state}.includes('Disarmed')` },
  ]);
  // What is refused for the mode and what is refused for the path differ in the newest row.
  const newest = `[...document.querySelectorAll('main .card ul.rows')].at(-1).firstChild?.innerText`;
  await measure('Refused', [
    { path: `/v1/alarm/${house}/trigger/nonsense`, is: `${newest}?.includes('Unknown mode')` },
    { path: `/v1/alarm/${house}/arm/away/now`, is: `${newest}?.includes('Unknown path')` },
  ]);
  await measure('Window', [
    { path: `/v1/alarm/${gate}/trigger/away`, is: `document.querySelector('.windows')` },
    { path: `/v1/alarm/${gate}/disarm`, is: `document.querySelector('.windows') === null` },
  ]);
}, 240_000);

test('the guide to the first alarm sees the first call as it comes, even one that changes nothing', async () => {
  const console = await startConsole();
  const { world, url } = console;
  const { house, key } = await furnish(console);
  const page = await openConsole(url, world.operator, DESK);
  await withoutPolling(page, `${url}/start`);
  await shows(page, 'Create');
  expect(await text(page)).not.toContain('Nothing was open');
  await world.get(`/v1/alarm/${house}/clear`, key);
  await shows(page, 'Nothing was open');
});

test('what is about to alert stands above all else with its countdown, several as one, and is called off with two touches', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  const { key } = await furnish(console);
  const ben = await owner.contact('Ben', { email: 'ben@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: ben, channels: ['email'] }] }]);
  const modes = { away: { policyId, windowS: 110 }, night: { policyId, windowS: 45 } };
  const shed = await owner.alarm({ name: 'Shed', modes });
  const others: string[] = [];
  for (let nth = 1; nth <= 16; nth++) others.push(await owner.alarm({ name: `Barn ${nth}`, modes }));
  const page = await openConsole(url, world.operator, PHONE);
  await withoutPolling(page, url);
  const said = () => page.evaluate<string>(`document.querySelector('main > .told[role=status] .unseen').innerText`);
  const timer = () =>
    page.evaluate<number>(`parseInt(document.querySelector('.windows [role=timer]')?.innerText ?? 'NaN')`);
  expect(await said()).toBe('');

  await world.get(`/v1/alarm/${shed}/trigger/night`, key);
  await shows(page, 'Shed is about to alert');
  expect(await page.evaluate(`document.querySelector('main h1, main h2').innerText`)).toBe('Shed is about to alert');
  const aloud = await said();
  expect(aloud).toMatch(/^Shed alerts in \d\d seconds unless it is disarmed or called off\.$/);
  const before = await timer();
  expect(before).toBeLessThanOrEqual(45);
  await eventually(async () => (await timer()) < before - 1, { what: 'the countdown to go on' });
  // It is read out when it begins, and not second by second.
  expect(await said()).toBe(aloud);
  expect(await page.evaluate(`document.querySelector('.windows [role=timer]').ariaLive`)).toBe('off');
  expect(await faultsOf(page, 'window')).toEqual([]);
  await page.turnTo(PHONE);

  for (const id of others) await world.get(`/v1/alarm/${id}/trigger/away`, key);
  await shows(page, '17 alarms are about to alert');
  await shows(page, 'and 12 more');
  expect(await page.evaluate(`document.querySelectorAll('.windows li').length`)).toBe(5);
  expect(await faultsOf(page, 'windows')).toEqual([]);
  await page.turnTo(PHONE);

  await world.get(`/v1/alarm/${shed}/disarm`, key);
  await shows(page, '16 alarms are about to alert');
  await press(page, 'Call it off');
  await shows(page, 'Call off Barn 1 — Away?');
  await page.tap('dialog button[type=submit]');
  await shows(page, 'Called off: nobody was alerted.');
  await shows(page, '15 alarms are about to alert');
  for (const id of others.slice(1)) await world.get(`/v1/alarm/${id}/disarm`, key);
  await eventually(() => page.evaluate<boolean>(`document.querySelector('.windows') === null`), {
    what: 'the block to be gone',
  });
  await world.advance(130);
  expect(await owner.incidents()).toEqual([]);
  expect(page.complaints.filter(complaint => !complaint.includes('401'))).toEqual([]);
}, 240_000);

test('whoever only looks sees the countdown and no button', async () => {
  const console = await startConsoleWithMail();
  const { world, owner } = console;
  const { key } = await furnish(console);
  const shed = await owner.alarm({ name: 'Shed', modes: { away: { policyId: await owner.policy([]), windowS: 120 } } });
  const page = await console.openAs('viewer', 'Vera');
  await world.get(`/v1/alarm/${shed}/trigger/away`, key);
  await shows(page, 'Shed is about to alert');
  expect(await page.evaluate(`document.querySelectorAll('.windows button').length`)).toBe(0);
});
