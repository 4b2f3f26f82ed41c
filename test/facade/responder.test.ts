import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { aHome, changed } from '../rpc/responder/responder-rig.ts';
import { startFacadeApart } from '../support/facade-apart.ts';
import { logInto } from '../support/log.ts';
import { eventually } from '../support/wait.ts';
import { aPage, eventsOf, whole } from './responder-rig.ts';

/* The page and the carriers' doors over HTTP (DECISIONS.md "Acknowledge"): what is sent, and what only looks. */

const SECURITY = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
};

const asBrowser = { accept: 'text/html,application/xhtml+xml', 'content-type': 'application/x-www-form-urlencoded' };

test('the page is whole in itself, small, kept nowhere and shown in no frame; its script may be kept', async () => {
  const { url } = await aPage();
  const { status, headers, body } = await whole(url);
  expect(status).toBe(200);
  expect(headers).toMatchObject({ ...SECURITY, 'content-type': 'text/html; charset=utf-8' });
  const policy = headers['content-security-policy'] ?? '';
  for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"]) {
    expect(policy).toContain(rule);
  }
  expect(policy).not.toContain('unsafe');
  expect(body).toMatch(/^<!doctype html>\n<html lang="en">/);
  expect(Buffer.byteLength(body)).toBeLessThan(20_000);
  expect([...body.matchAll(/<link[^>]* href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    '../icon.svg',
    '../touch-icon.png',
    '../manifest.webmanifest',
  ]);
  expect(body).not.toMatch(/<img|<iframe|@import|url\(|\son\w+=|style=|tel:/i);
  const [script = ''] = /page\.js\?\w+/.exec(body) ?? [];
  const served = await whole(new URL(script, url).href);
  expect(served.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  expect(served.body).not.toMatch(/=>|`|\b(let|const)\b/);
  const digest = await crypto.subtle.digest(
    'SHA-256',
    new TextEncoder().encode(/<style>([\s\S]*)<\/style>/.exec(body)?.[1]),
  );
  expect(policy).toContain(`style-src 'sha256-${Buffer.from(digest).toString('base64')}'`);
});

test('what only looks does not act: GET, HEAD, mail scanners, tabs that are opened again, other methods', async () => {
  const { url, annas, by } = await aPage();
  for (const path of [
    '',
    '/',
    '/acknowledge',
    '/close',
    '/next',
    '/note',
    '/hand-over',
    '/acknowledge/',
    '?acknowledge=1',
    '/nothing',
  ]) {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH']) {
      const { status } = await whole(url + path, { method });
      expect(status, `${method} ${path}`).toBeLessThan(500);
    }
  }
  expect(await whole(`${url}/acknowledge`)).toMatchObject({
    status: 303,
    headers: { location: `../${annas}` },
  });
  expect(await by()).toBe('');
});

test('a form of the page acts and leads back to it; a program is told what came of it', async () => {
  const { url, annas, by, world, bens, owner } = await aPage();
  const posted = await whole(`${url}/acknowledge`, { method: 'POST', headers: asBrowser });
  expect(posted).toMatchObject({ status: 303, headers: { ...SECURITY, location: `../${annas}` }, body: '' });
  expect(await by()).toBe('Anna');
  const program = await whole(`${world.url}/i/${bens}/acknowledge`, { method: 'POST' });
  expect(program).toMatchObject({ status: 200, body: '{"outcome":"already_acknowledged"}', headers: SECURITY });
  const json = { accept: 'application/json', 'content-type': 'application/json' };
  const closed = await whole(`${url}/close`, { method: 'POST', headers: json, body: '{broken' });
  expect(closed).toMatchObject({ status: 200, body: '{"outcome":"closed"}' });
  expect((await owner.incidents())[0]!.status).toBe('closed');
});

test('every token that opens nothing gets the same bytes', async () => {
  const { world, annas, by } = await aPage();
  const outsider = await aHome(world);
  await outsider.act('trigger');
  const bad = [changed(annas, 5), changed(annas, 40), annas.slice(1), 'x', '%00', '..%2f..', 'ä', 'a'.repeat(5_000)];
  for (const [path, method] of [
    ['', 'GET'],
    ['/acknowledge', 'POST'],
    ['/close', 'POST'],
    ['/events', 'GET'],
  ] as const) {
    const answers = await Promise.all(
      bad.map(token =>
        whole(`${world.url}/i/${token}${path}`, { method, headers: method === 'POST' ? asBrowser : {} }),
      ),
    );
    expect(answers[0]!.status, path).toBe(404);
    expect(answers[0]!.headers).toMatchObject(SECURITY);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  }
  expect(await by()).toBe('');
});

test('with the services in another process it is the same: pages, buttons, streams', async () => {
  const { world, path, by, act } = await aPage();
  const facade = await startFacadeApart(world.rpcUrl);
  const [here, there] = await Promise.all([whole(world.url + path), whole(facade.url + path)]);
  expect(there).toEqual(here);
  const reading = eventsOf(`${facade.url}${path}/events`, text => text.includes('the alarm was cleared'));
  expect((await whole(`${facade.url}${path}/acknowledge`, { method: 'POST' })).body).toBe('{"outcome":"acknowledged"}');
  expect(await by()).toBe('Anna');
  await act('clear');
  expect(await reading).toContain('Nobody has been reached yet');
  expect((await whole(`${facade.url}/i/nonsense/events`)).status).toBe(404);
});

test('services that are away are no reason to lose what was pressed: the page says that it can be pressed again', async () => {
  const { path } = await aPage();
  const facade = await startFacadeApart('http://127.0.0.1:9');
  for (const [method, verb] of [
    ['GET', ''],
    ['POST', '/acknowledge'],
  ] as const) {
    const { status, headers, body } = await whole(facade.url + path + verb, { method, headers: asBrowser });
    expect(status).toBe(503);
    expect(headers).toMatchObject({ ...SECURITY, 'retry-after': '2' });
    expect(body).toContain('Go back and try again');
  }
  expect((await whole(`${facade.url}/carrier/twilio/text`, { method: 'POST', body: 'x' })).status).toBe(503);
});

test('no token and no number reaches the log or the metrics', async () => {
  const lines: string[] = [];
  const { world, annas } = await aPage();
  const facade = await startFacadeApart(world.rpcUrl, { log: logInto(lines, 'trace') });
  await whole(`${facade.url}/i/${annas}`);
  await whole(`${facade.url}/i/${annas}/acknowledge`, { method: 'POST' });
  await whole(`${facade.url}/carrier/twilio/status/${annas}/1`, { method: 'POST', body: 'From=%2B436601234567' });
  const metrics = await (await fetch(`${facade.url}/metrics`)).text();
  expect(metrics).toMatch(/tocsin_http_responder_calls_total\{route="\/i\/\{token\}",status="200"\} [1-9]/);
  expect(metrics).toContain('route="/carrier/{carrier}/{topic}",status="404"');
  for (const text of [metrics, ...lines]) {
    expect(text).not.toContain(annas.slice(0, 32));
    expect(text).not.toContain('436601234567');
  }
});

test('a request that is no form, no text and no end of either is refused and not waited for', async () => {
  const { world } = await aPage();
  const big = await whole(`${world.url}/carrier/twilio/text`, { method: 'POST', body: 'a'.repeat(70_000) });
  expect(big).toMatchObject({ status: 413 });
  const { port } = new URL(world.url);
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  onTestFinished(() => void socket.destroy());
  let answer = '';
  socket.setEncoding('utf8').on('data', text => (answer += text));
  socket.write('POST /carrier/twilio/text HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc');
  await eventually(() => answer.startsWith('HTTP/1.1 413'), { what: 'the refusal' });
});

test('behind a proxy that takes the path of PUBLIC_URL away, script, buttons and redirects lead to it all the same', async () => {
  const { url, path, by } = await aPage();
  const behind = new URL(`https://alarm.example.com/tocsin${path}`);
  const { body } = await whole(url);
  const actions = [...body.matchAll(/ (?:action|src)="([^"]+)"/g)].map(([, found]) => new URL(found!, behind));
  expect(actions.map(({ origin }) => origin)).toEqual(Array(9).fill(behind.origin));
  expect(actions.map(({ pathname }) => pathname).sort()).toEqual(
    [
      ...['acknowledge', 'close', 'close', 'close', 'next', 'decline', 'hand-over', 'note'].map(
        verb => `/tocsin${path}/${verb}`,
      ),
      '/tocsin/i/page.js',
    ].sort(),
  );
  const ways: [string, RequestInit][] = [
    ['/', {}],
    ['/acknowledge', {}],
    ['/acknowledge/?again', {}],
    ['/acknowledge', { method: 'POST', headers: asBrowser }],
    ['/next', { method: 'POST', headers: asBrowser }],
    ['/close/', { method: 'POST', headers: asBrowser }],
  ];
  for (const [below, init] of ways) {
    const { status, headers } = await whole(url + below, init);
    expect([below, status, new URL(headers.location!.split('?')[0]!, behind.href + below).href]).toEqual([
      below,
      303,
      behind.href,
    ]);
  }
  expect(await by()).toBe('Anna');
});
