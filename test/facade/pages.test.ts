import { describe, expect, test } from 'vitest';
import { ask, startRig } from './rig.ts';

const NO_KEY = { headers: { 'x-api-key': undefined } };

describe.each(['/', '/docs', '/docs/arming'])('the page %s', path => {
  test('is HTML that needs no key, also to those who ask by HEAD or with a slash behind', async () => {
    const rig = await startRig();
    const page = await ask(rig, path, NO_KEY);
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.body).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(await ask(rig, path, { ...NO_KEY, method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    expect((await ask(rig, `${path}/`, NO_KEY)).body).toBe(page.body);
  });

  test('is whole in itself: no script, nothing from elsewhere, fit for phones and for the dark', async () => {
    const { body, headers } = await ask(await startRig(), path, NO_KEY);
    expect(body).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\son\w+=|style=/i);
    expect(body).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(body).toContain('prefers-color-scheme: dark');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  });

  test('is shown in its own style: the policy names the hash of just that', async () => {
    const { body, headers } = await ask(await startRig(), path, NO_KEY);
    const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? '';
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style));
    const hash = Buffer.from(digest).toString('base64');
    expect(style.length).toBeGreaterThan(100);
    expect(headers['content-security-policy']).toContain(`style-src 'sha256-${hash}'`);
  });

  test('leads nowhere that is not there', async () => {
    const rig = await startRig();
    const { body } = await ask(rig, path, NO_KEY);
    const targets = [...body.matchAll(/href="([^"]*)"/g)].map(([, href]) => new URL(href!, `http://x${path}`));
    expect(targets.length).toBeGreaterThan(1);
    for (const { pathname, hash } of targets) {
      const target = await ask(rig, pathname, NO_KEY);
      expect(target.status, pathname).toBe(200);
      if (hash !== '') expect(target.body).toContain(`id="${hash.slice(1)}"`);
    }
  });

  test('shows the public URL in its examples, escaped', async () => {
    const rig = await startRig();
    expect((await ask(rig, path, NO_KEY)).body).toContain(`http://localhost:${rig.port}`);
    const hostile = await startRig({ config: { publicUrl: 'https://a.example/"><script>&' } });
    const { body } = await ask(hostile, path, NO_KEY);
    expect(body).toContain('https://a.example/&#34;&#62;&#60;script&#62;&#38;');
    expect(body).not.toContain('%PUBLIC_URL%');
  });
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
