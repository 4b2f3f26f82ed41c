import { expect, test } from 'vitest';
import { ALL_PAGES, DOCS_PAGES, GERMAN_PAGES, OPENAPI_PAGE } from '../../facade/docs-pages.ts';
import { ask, startRig } from './rig.ts';

const NO_KEY = { headers: { 'x-api-key': undefined } };

/** All that has no script. */
const PATHS = [OPENAPI_PAGE, ...ALL_PAGES.map(({ path }) => path)];

test('every page is HTML that needs no key, also to those who ask by HEAD or with a slash behind', async () => {
  const rig = await startRig();
  for (const path of PATHS) {
    const page = await ask(rig, path, NO_KEY);
    expect(page.status, path).toBe(200);
    expect(page.headers['content-type'], path).toBe('text/html; charset=utf-8');
    expect(page.body, path).toMatch(/^<!doctype html>\n<html lang="(en|de)">/);
    expect(await ask(rig, path, { ...NO_KEY, method: 'HEAD' }), path).toMatchObject({ status: 200, body: '' });
    expect((await ask(rig, `${path}/`, NO_KEY)).body, path).toBe(page.body);
  }
});

test('every page is whole in itself but for the icon: no script, nothing from elsewhere, fit for phones and for the dark', async () => {
  const rig = await startRig();
  for (const path of PATHS) {
    const { body, headers } = await ask(rig, path, NO_KEY);
    expect(
      [...body.matchAll(/<link[^>]*>/g)].map(([link]) => link),
      path,
    ).toEqual([
      '<link rel="icon" type="image/svg+xml" href="/icon.svg">',
      '<link rel="apple-touch-icon" href="/touch-icon.png">',
      '<link rel="manifest" href="/manifest.webmanifest">',
    ]);
    expect(body, path).not.toMatch(/<script|<img src="(?!\/docs\/pictures\/)|<iframe|@import|url\(|\son\w+=|style=/i);
    expect(body, path).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(body, path).toContain('prefers-color-scheme: dark');
    const policy = String(headers['content-security-policy']);
    expect(policy, path).toContain("default-src 'none'");
    expect(policy, path).toContain("frame-ancestors 'none'");
    expect(policy, path).not.toContain('unsafe');
    expect(headers, path).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  }
});

test('every page is shown in its own style: the policy names the hash of just that', async () => {
  const rig = await startRig();
  for (const path of PATHS) {
    const { body, headers } = await ask(rig, path, NO_KEY);
    const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? '';
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style));
    const hash = Buffer.from(digest).toString('base64');
    expect(style.length, path).toBeGreaterThan(100);
    expect(headers['content-security-policy'], path).toContain(`style-src 'sha256-${hash}'`);
  }
});

test('no page leads to where nothing is', async () => {
  const rig = await startRig();
  const bodies = new Map<string, string>();
  async function bodyAt(path: string): Promise<string> {
    const { status, body } = await ask(rig, path, NO_KEY);
    expect(status, path).toBe(200);
    return body;
  }
  for (const path of [...PATHS, '/docs/live']) {
    const hrefs = [...(await bodyAt(path)).matchAll(/href="([^"]*)"/g)].map(([, href]) => href!);
    const targets = hrefs.map(href => new URL(href, `http://x${path}`)).filter(({ host }) => host === 'x');
    expect(targets.length, path).toBeGreaterThan(DOCS_PAGES.length);
    for (const { pathname, hash } of targets) {
      const body = bodies.get(pathname) ?? (await bodyAt(pathname));
      bodies.set(pathname, body);
      if (hash !== '') expect(body, `${path} to ${pathname}`).toContain(`id="${decodeURIComponent(hash.slice(1))}"`);
    }
  }
});

test('every page is in the navigation of every other, and marked in its own', async () => {
  const rig = await startRig();
  for (const path of PATHS) {
    const { body } = await ask(rig, path, NO_KEY);
    const isGerman = GERMAN_PAGES.some(one => one.path === path);
    for (const { path: other, counterpart } of DOCS_PAGES) {
      expect(body, path).toContain(`<li><a href="${isGerman ? (counterpart ?? other) : other}"`);
    }
    const marked = [...body.matchAll(/<a href="([^"]+)" aria-current="page">/g)].map(([, href]) => href);
    expect(new Set(marked)).toEqual(new Set([path]));
  }
});

test('the examples show the public URL, escaped', async () => {
  const [rig, hostile] = [await startRig(), await startRig({ config: { publicUrl: 'https://a.example/"><script>&' } })];
  for (const path of ['/docs', '/docs/arming', '/docs/guide', '/docs/api', '/docs/services', OPENAPI_PAGE]) {
    expect((await ask(rig, path, NO_KEY)).body, path).toContain(`http://localhost:${rig.port}`);
    const { body } = await ask(hostile, path, NO_KEY);
    expect(body, path).toContain('https://a.example/&#34;&#62;&#60;script&#62;&#38;');
    expect(body, path).not.toContain('http://localhost:8080');
  }
  const { body } = await ask(await startRig({ config: { publicUrl: 'https://a.example' } }), '/docs/realtime', NO_KEY);
  expect(body).toContain('-c wss://a.example/event/realtime');
});

test('the examples show the RPC port of this deployment', async () => {
  const examples: Record<string, string> = {
    'http://127.0.0.1:9091': 'localhost:9091',
    'http://[::]:9092': 'localhost:9092',
    'http://10.0.0.5:9093': '10.0.0.5:9093',
    'https://rpc.example': 'rpc.example',
  };
  for (const [rpcUrl, authority] of Object.entries(examples)) {
    const rig = await startRig({ rpcUrl });
    for (const path of ['/docs/services', '/docs/api', '/docs/guide']) {
      const { body } = await ask(rig, path, NO_KEY);
      expect(body, path).toContain(`${new URL(rpcUrl).protocol}//${authority}`);
      expect(body, path).not.toContain('localhost:8081');
    }
  }
});

test('the arming guide explains every mode and every status that a device can meet, and what to do when nobody was told', async () => {
  const { body } = await ask(await startRig(), '/docs/arming', NO_KEY);
  for (const word of ['home', 'away', 'night', 'vacation', '202', '401', '404', '405', '503', 'X-API-Key', 'curl']) {
    expect(body, word).toContain(word);
  }
  for (const id of ['modes', 'arm', 'trigger', 'gate', 'window', 'test', 'answers', 'unknown-mode', 'nobody']) {
    expect(body).toContain(`id="${id}"`);
  }
});

test('anchors that links of others lead to are still there', async () => {
  const rig = await startRig();
  const kept = {
    '/docs': ['calls', 'answers', 'live', 'operators'],
    '/docs/arming': ['first-call', 'window', 'end', 'panic', 'not-found'],
    '/docs/live': ['how'],
  };
  for (const [path, ids] of Object.entries(kept)) {
    const { body } = await ask(rig, path, NO_KEY);
    for (const id of ids) expect(body, path).toContain(`id="${id}"`);
  }
});
