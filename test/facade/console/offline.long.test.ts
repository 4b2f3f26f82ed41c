import { expect, test } from 'vitest';
import { needsChromium, openPage, type Page } from '../../support/chromium.ts';
import { startLine } from '../../support/line.ts';
import { startTlsProxy } from '../../support/tls-proxy.ts';
import { eventually } from '../../support/wait.ts';
import { DESK, furnish, openConsole, PHONE, shows, signIn, startConsole, text } from './console-rig.ts';

needsChromium();

/** The worker is there, and answers for this page. */
const isBrought = (page: Page) =>
  eventually(() => page.evaluate<boolean>('navigator.serviceWorker.controller !== null'), { what: 'the worker' });

test('without a line the console says so, where no device rings: since when, what goes on and what to do, and nothing of before', async () => {
  const started = await startConsole();
  await furnish(started);
  const { world, url } = started;
  const line = await startLine(Number(new URL(url).port));
  const origin = `http://127.0.0.1:${line.port}`;
  const page = await openConsole(origin, world.operator, PHONE);
  await shows(page, 'Bedside');
  await isBrought(page);
  expect(await page.evaluate(`caches.keys().then(keys => keys.length)`)).toBe(0);
  expect(
    await page.evaluate(`navigator.serviceWorker.ready.then(({ pushManager }) => pushManager.getSubscription())`),
  ).toBe(null);
  line.cut();
  await page.open(`${origin}/alarms`);
  const said = await text(page);
  expect(said).toMatch(/No connection to Tocsin since \d\d:\d\d (AM|PM) or earlier/);
  expect(said).toMatch(/Keine Verbindung zu Tocsin seit \d\d:\d\d oder länger/);
  expect(said).toContain('alerts still go out from the server');
  expect(said).toContain('call your emergency number');
  for (const before of ['Bedside', 'House', 'Anna', 'Up to date']) expect(said).not.toContain(before);
  expect(page.complaints.filter(complaint => /policy/i.test(complaint))).toEqual([]);
  line.mend();
  // It asks again by itself, every 15 s.
  await shows(page, 'Bedside', 40_000);
}, 120_000);

test('behind a path of a proxy the worker is brought along below that path alone', async () => {
  const proxy = await startTlsProxy('/tocsin');
  const { world, url } = await startConsole({}, { publicUrl: proxy.url, trustedProxies: ['127.0.0.1'] });
  proxy.leadTo(url);
  const page = await openPage(proxy.url, DESK, ['--ignore-certificate-errors']);
  await signIn(page, world.operator);
  await shows(page, 'Up to date');
  await isBrought(page);
  expect(await page.evaluate('navigator.serviceWorker.ready.then(({ scope }) => scope)')).toBe(`${proxy.url}/`);
  expect(proxy.strays).toEqual([]);
});
