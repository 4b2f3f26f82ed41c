import { expect, test } from 'vitest';
import { needsChromium, openPage } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { startTlsProxy } from '../../support/tls-proxy.ts';
import { eventually } from '../../support/wait.ts';
import { DESK, furnish, press, shows, signIn, startConsole, type } from './console-rig.ts';

needsChromium();

/** Its certificate vouches for itself. */
const TRUSTING = ['--ignore-certificate-errors'];

/** The console behind TLS at a proxy with a path before it, as `https://home.example/tocsin` would be. */
async function behindProxy() {
  const proxy = await startTlsProxy('/tocsin');
  const started = await startConsole({}, { publicUrl: proxy.url, trustedProxies: ['127.0.0.1'] });
  proxy.leadTo(started.url);
  return { ...started, ...(await furnish(started)), proxy };
}

test('behind TLS at a proxy with a path: signs in, is live, edits, and comes back to any screen', async () => {
  const { world, owner, house, key, proxy } = await behindProxy();
  const seen = consoleOf(world, world.operator, owner.accountId);
  const page = await openPage(proxy.url, DESK, TRUSTING);
  await signIn(page, world.operator);
  await shows(page, 'Up to date');
  expect(await page.evaluate('location.href')).toBe(`${proxy.url}/`);
  const { cookies } = await page.ask<{ cookies: unknown[] }>('Network.getCookies');
  expect(cookies).toMatchObject([{ name: '__Host-tocsin-session', secure: true, httpOnly: true, sameSite: 'Strict' }]);

  await world.get(`/v1/alarm/${house}/trigger/away`, key);
  await world.settle();
  await shows(page, 'House is triggered');

  await page.open(`${proxy.url}/alarms/${house}`);
  await press(page, 'Edit');
  await type(page, '.form input[name=name]', 'Villa');
  await press(page, 'Save');
  await shows(page, 'Saved.');
  expect((await seen.alarms.getAlarm({ alarmId: house })).alarm).toMatchObject({ name: 'Villa' });
  await page.tap('main a[href*="/policies/"]');
  await shows(page, 'Used by');
  await page.evaluate('history.back()');
  await shows(page, 'Would it work?');
  expect(await page.evaluate('location.href')).toBe(`${proxy.url}/alarms/${house}`);
  // What it says to others leads through the proxy too.
  await eventually(() => page.evaluate(`document.querySelector('.recipe textarea') !== null`), { what: 'the recipes' });
  expect(await page.evaluate(`document.querySelector('.recipe textarea').value`)).toContain(
    `${proxy.url}/v1/alarm/${house}`,
  );

  await page.evaluate(
    `[...document.querySelectorAll('.who button')].find(one => one.innerText === 'Sign out').click()`,
  );
  await shows(page, 'Email me a code');
  const link = await seen.sessions.createSignInLink({});
  await page.open(`${proxy.url}/sign-in${link.url.slice(link.url.indexOf('#'))}`);
  await press(page, 'Sign in on this device');
  await shows(page, 'House is triggered');
  expect(proxy.strays).toEqual([]);
  expect(page.complaints.filter(complaint => !complaint.includes('401'))).toEqual([]);
});

test('behind a path of a proxy every link and picture of the documentation is found', async () => {
  const { proxy } = await behindProxy();
  const page = await openPage(`${proxy.url}/docs/guide/`, DESK, TRUSTING);
  const { origin } = new URL(proxy.url);
  const visited = new Set<string>();
  const waiting = new Set([`${proxy.url}/docs`]);
  for (const url of waiting) {
    await page.open(url);
    visited.add(url);
    const { links, pictures } = await page.evaluate<{ links: string[]; pictures: string[] }>(`Promise.all(
      [...document.images].map(image => { image.loading = 'eager'; return image.decode().then(() => null, () => image.src); }),
    ).then(broken => ({ links: [...document.links].map(({ href }) => href.split('#')[0]), pictures: broken.filter(one => one) }))`);
    expect(pictures, url).toEqual([]);
    const own = links.filter(href => href.startsWith(`${origin}/`));
    expect(
      own.filter(href => !href.startsWith(`${proxy.url}/`)),
      url,
    ).toEqual([]);
    // Files are looked at by test/facade/pages.test.ts.
    for (const href of own) if (/\/docs(\/[\w-]+)?$/.test(href)) waiting.add(href);
  }
  expect(visited.size).toBeGreaterThan(15);
  expect(proxy.strays).toEqual([]);
  expect(page.complaints).toEqual([]);
}, 120_000);
