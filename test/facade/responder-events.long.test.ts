import { expect, onTestFinished, test } from 'vitest';
import { startFacadeApart } from '../support/facade-apart.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { aPage, eventsOf, whole } from './responder-rig.ts';

/* The page that stays up to date (DECISIONS.md "Acknowledge"), and how much one link and one address may ask of it. */

test('changes are told as they happen, each once, and the stream ends with the facade', async () => {
  const { url, act, responder, annas } = await aPage();
  const reading = eventsOf(`${url}/events`, text => text.includes('closed'));
  await eventually(async () => (await (await fetch(new URL('/metrics', url))).text()).includes('pages_followed 1'), {
    what: 'the page to be followed',
  });
  await responder.acknowledgeByLink({ token: annas });
  await act('clear');
  const text = await reading;
  // A reader who leaves is noticed at once, not at the next sign of life.
  await eventually(async () => (await (await fetch(new URL('/metrics', url))).text()).includes('pages_followed 0'), {
    what: 'the reader to be gone',
    within: 5_000,
  });
  const pages = [...text.matchAll(/^event: page\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as string);
  expect(pages[0]).toContain('Nobody has been reached yet');
  expect(pages.at(-1)).toContain('Closed at');
  expect(new Set(pages).size).toBe(pages.length);
});

test('a facade that closes ends the streams that it told, at once', async () => {
  const { world, path } = await aPage();
  const facade = await startFacadeApart(world.rpcUrl);
  const response = await fetch(`${facade.url}${path}/events`);
  const reading = response.text().catch(() => 'cut');
  const began = performance.now();
  await facade.close();
  expect(await reading).toContain('event: page');
  expectInTime(performance.now() - began, 3_000);
});

test('one address may follow so many pages at once; further ones reload by themselves', async () => {
  const { url } = await aPage();
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const opened = await Promise.all(
    Array.from({ length: 25 }, () => fetch(`${url}/events`, { signal: leaving.signal }).then(({ status }) => status)),
  );
  expect(opened.filter(status => status === 200)).toHaveLength(20);
  expect(opened.filter(status => status === 503)).toHaveLength(5);
  expect((await whole(url)).status).toBe(200);
});

test('one link may ask as much as one key, for its page and for changes: who has another one, or acts, does not notice', async () => {
  const { url, annas, bens, world, owner } = await aPage({ rateLimits: 'on' });
  const key = await owner.key();
  const ofBen = `${world.url}/i/${bens}`;
  for (const one of [url, ofBen]) expect((await fetch(one)).status).toBe(200);
  const leaving = new AbortController();
  const flood = await Promise.all(
    Array.from({ length: 400 }, async (_, n) => {
      const answer = await fetch(n % 2 === 0 ? url : `${url}/events`, { signal: leaving.signal });
      return { status: answer.status, retryAfter: answer.headers.get('retry-after') };
    }),
  );
  leaving.abort();
  const refused = flood.filter(({ status }) => status !== 200);
  expect(new Set(refused.map(({ status, retryAfter }) => `${status} ${retryAfter}`))).toEqual(new Set(['503 2']));
  // A hundred at once, and fifty more each second.
  expect(refused.length).toBeGreaterThan(150);
  expect((await fetch(ofBen)).status).toBe(200);
  expect((await world.get('/v1/integration/state', key)).status).toBe(200);
  const acted = await fetch(`${world.url}/i/${annas}/acknowledge`, { method: 'POST' });
  expect(await acted.json()).toEqual({ outcome: 'acknowledged' });
});
