import { expect, onTestFinished, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { startSmtp } from '../../support/smtp.ts';
import { DESK, openConsole, shows, startConsole, text } from './console-rig.ts';
import { faultsOf } from './looks-rig.ts';

needsChromium();

const MONTH_S = 31 * 86_400;

test('the months show how long it took to reach somebody against 15 s and 60 s, and false alarms; another account’s are not there', async () => {
  const { world, owner, url } = await startConsole();
  const seen = consoleOf(world, world.operator, owner.accountId);
  const house = await owner.alarm({ name: 'House', modes: { away: {} } });
  const key = await owner.key();
  // In turn over three months: after 10 s, after 30 s, after 5 minutes.
  for (const [afterS, disposition] of [
    [10, 'real'],
    [30, 'false_alarm'],
    [300, 'false_alarm'],
  ] as const) {
    await world.get(`/v1/alarm/${house}/trigger/away`, key);
    await world.settle();
    const [open] = (await seen.incidents.listIncidents({ status: 'open' })).incidents;
    await world.advance(afterS);
    await seen.incidents.acknowledge({ incidentId: open!.id });
    await seen.incidents.close({ incidentId: open!.id, disposition });
    await world.advance(MONTH_S);
  }
  // In the fourth, nobody acknowledged.
  await world.get(`/v1/alarm/${house}/trigger/away`, key);
  await world.settle();
  const [left] = (await seen.incidents.listIncidents({ status: 'open' })).incidents;
  await seen.incidents.close({ incidentId: left!.id });
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/settings/plan`);
  await shows(page, 'Month by month');
  await page.evaluate(`document.querySelector('.months').scrollIntoView({ block: 'center' })`);
  expect(await faultsOf(page, 'months')).toEqual([]);

  const drawn = await page.evaluate<{
    nobody: string[];
    heights: number[];
    dots: string[];
    marks: number[];
    falseAlarms: number;
  }>(`({
    nobody: [...document.querySelectorAll('.months text.nobody')].map(one => one.textContent),
    heights: [...document.querySelectorAll('.months circle')].map(one => Number(one.getAttribute('cy'))),
    dots: [...document.querySelectorAll('.months circle')].map(one => one.getAttribute('class')),
    marks: [...document.querySelectorAll('.months .mark')].map(one => Number(one.getAttribute('y1'))),
    falseAlarms: document.querySelectorAll('.months rect').length,
  })`);
  const [soon, later, late] = drawn.heights as [number, number, number];
  const [fifteen, sixty] = drawn.marks as [number, number];
  // The longer it took, the higher: below the first mark, between both, above the second.
  expect([soon > fifteen, later < fifteen && later > sixty, late < sixty]).toEqual([true, true, true]);
  expect(drawn.dots).toEqual(['in-time', 'in-time', 'late']);
  expect(drawn.falseAlarms).toBe(2);
  expect(drawn.nobody).toEqual(['×1']);
  // The latest month first: what is drawn is what stands below it.
  const open = await page.evaluate<string[]>(
    `[...document.querySelectorAll('td[data-label="Not acknowledged"]')].map(one => one.textContent)`,
  );
  expect(open).toEqual(['1', '0', '0', '0']);
  const table = (await text(page)).replaceAll(/\s+/g, ' ');
  expect(table).toContain('10 sec / 10 sec (1 of 1)');
  expect(table).toContain('0 of 1');
  expect(table).toContain('5 min / 5 min');

  const beside = await world.account();
  await page.evaluate(`localStorage.setItem('tocsin.account', ${JSON.stringify(beside.accountId)})`);
  await page.open(`${url}/settings/plan`);
  await shows(page, 'No incident yet.');
  expect(await page.evaluate(`document.querySelector('.months') === null`)).toBe(true);
}, 120_000);

test('what a carrier took and what it refused is drawn month by month, with the figures beside it', async () => {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const { world, owner, url } = await startConsole({ smtpUrl: smtp.url });
  const seen = consoleOf(world, world.operator, owner.accountId);
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const house = await owner.alarm({ name: 'House', modes: { away: { policyId } } });
  const key = await owner.key();
  for (const refused of [false, true]) {
    if (refused) smtp.failNext(550);
    await world.get(`/v1/alarm/${house}/trigger/away`, key);
    await world.settle();
    const [open] = (await seen.incidents.listIncidents({ status: 'open' })).incidents;
    await seen.incidents.close({ incidentId: open!.id });
    if (!refused) await world.advance(MONTH_S);
  }
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/settings/plan`);
  await shows(page, 'Passed on');
  await page.evaluate(`document.querySelector('.carrier-months').scrollIntoView({ block: 'center' })`);
  expect(await faultsOf(page, 'carrier-months')).toEqual([]);
  const row = await page.evaluate<string>(`document.querySelector('.carrier-months tbody tr').innerText`);
  expect(row.split(/\s+/)).toEqual(['mail', '1', '0', '1', '0']);
  const drawn = await page.evaluate<number[]>(
    `[...document.querySelectorAll('.carrier-months .lost')].map(one => Number(one.getAttribute('height')))`,
  );
  // The month of before had no fault, and this one nothing else.
  expect(drawn).toEqual([0, 24]);
}, 60_000);
