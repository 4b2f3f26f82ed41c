import { request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/wait.ts';
import { call, type Door, HELD, SECRET, startDoor, TOKEN, TOO_OFTEN } from './door-rig.ts';

/* DECISIONS.md "Console door": what a stranger gets out of it, and what of a browser stays when its session has ended. */

const LIST = 'tocsin.incident.v1.IncidentService/ListIncidents';
const CHECK = 'tocsin.console.v1.ConfigurationService/Check';
const START = 'tocsin.console.v1.SessionService/StartSignIn';
const SESSION = 'tocsin.console.v1.SessionService/GetSession';
const SIGN_IN = 'tocsin.console.v1.SessionService/SignIn';
const PHONE_LINK = 'tocsin.console.v1.SessionService/GetPhoneLink';
const MADE_UP = `tocsin-session=tcs_${'m'.repeat(36)}`;
/** So many refusals an address gets at once (services/limits/strangers.ts). */
const AT_ONCE = 100;
const WITH_TOKEN = { consoleToken: { token: TOKEN } };

/** The status of a call whose body is announced and never sent. */
function statusWithoutBody({ url }: Door, method: string, cookie: string | undefined): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const outgoing = request(`${url}/rpc/${method}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': 4_000_000,
      'connect-protocol-version': '1',
      origin: url,
      ...(cookie === undefined ? {} : { cookie }),
    },
  });
  outgoing.on('response', answer => {
    answer.resume();
    resolve(answer.statusCode ?? 0);
    outgoing.destroy();
  });
  outgoing.on('error', reject);
  outgoing.flushHeaders();
  return promise;
}

describe('a stranger', () => {
  test('is turned away before a byte of the body is read', async () => {
    const door = await startDoor();
    for (const cookie of [undefined, MADE_UP, `tocsin-session=${TOKEN}`]) {
      for (const method of [LIST, CHECK]) expect(await statusWithoutBody(door, method, cookie)).toBe(401);
    }
    expect(new Set(door.seen.map(({ method }) => method))).toEqual(new Set(['GetSession']));
  });

  test.each([
    ['no host', '/rpc/', []],
    ['an empty host', '/rpc/', ['Host:']],
    ['a host that is none', '/rpc/', ['Host: [']],
    ['a whole address with a host that is none', 'http://[/rpc/', ['Host: x']],
  ])('who asks with %s is answered, and the connection ends', async (_, path, host) => {
    const door = await startDoor();
    const from = ['Sec-Fetch-Site: same-origin', 'Connect-Protocol-Version: 1', 'Content-Type: application/json'];
    const head = [`POST ${path}${START} HTTP/1.1`, ...host, ...from, 'Content-Length: 2', 'Connection: close'];
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(door.url).port) });
    let text = '';
    socket.setEncoding('latin1').on('data', chunk => (text += chunk));
    socket.write([...head, '', '{}'].join('\r\n'));
    await new Promise(resolve => socket.once('close', resolve));
    expect(text).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(door.seen).toEqual([]);
  });

  test('who signs in is read for 16 KB, unpacked too', async () => {
    const door = await startDoor();
    const text = JSON.stringify({ consoleToken: { token: 'x'.repeat(20_000) } });
    const long = await call(door, SIGN_IN, { body: { consoleToken: { token: 'x'.repeat(20_000) } } });
    expect(long.body).toMatchObject({ code: 'resource_exhausted' });
    const packed = await call(door, SIGN_IN, { bytes: gzipSync(text), headers: { 'content-encoding': 'gzip' } });
    expect(packed.body).toMatchObject({ code: 'resource_exhausted' });
    expect(door.seen).toEqual([]);
  });

  test('who asks about a made-up session is read for 1 KB, unpacked too, and one with a session of theirs is told of it', async () => {
    const door = await startDoor();
    const long = { body: { filler: 'x'.repeat(2_000) }, headers: { cookie: MADE_UP } };
    expect((await call(door, SESSION, long)).body).toMatchObject({ code: 'resource_exhausted' });
    const packed = gzipSync(JSON.stringify({ filler: 'x'.repeat(600_000) }));
    const headers = { cookie: MADE_UP, 'content-encoding': 'gzip' };
    expect((await call(door, SESSION, { bytes: packed, headers })).body).toMatchObject({ code: 'resource_exhausted' });
    expect(door.seen).toEqual([]);
    expect((await call(door, SESSION)).status).toBe(200);
  });

  test('who asks for codes too often waits for each refusal, as one who shows bad keys does', async () => {
    const door = await startDoor();
    const slowly = async () => {
      const metrics = await (await fetch(`${door.url}/metrics`)).text();
      return Number(/^tocsin_bad_credentials_total\{door="http",answered="slowly"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
    };
    const before = await slowly();
    const ask = () => call(door, START, { body: { email: TOO_OFTEN } });
    const answers = await Promise.all(Array.from({ length: 150 }, ask));
    expect(answers.map(({ body }) => body.code)).toEqual(Array(150).fill('resource_exhausted'));
    expect(await slowly()).toBeGreaterThan(before);
  });

  test('whoever signs in from one network takes some places and no more: beside them a person elsewhere signs in and reads', async () => {
    const door = await startDoor({ trustedProxies: ['127.0.0.1'] }, { limits: { read: 16, action: 32, trigger: 32 } });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const guess = () => call(door, SIGN_IN, { body: { consoleToken: { token: HELD } }, headers: from('2001:db8::1') });
    let refused = 0;
    const guesses = Array.from({ length: 20 }, async () => {
      const { body } = await guess();
      if (body.code === 'resource_exhausted') refused++;
      else expect(body.code).toBe('unauthenticated');
    });
    await eventually(() => refused === 12, { what: 'those without a place to be told' });
    const elsewhere = { body: WITH_TOKEN, headers: from('203.0.113.10') };
    expect((await call(door, SIGN_IN, elsewhere)).status).toBe(200);
    expect((await call(door, LIST, { headers: from('203.0.113.10') })).status).toBe(200);
    door.held.resolve();
    await Promise.all(guesses);
    expect(refused).toBe(12);
  });

  test('whoever asks what a QR code signs in takes such a place too', async () => {
    const door = await startDoor({}, { limits: { read: 16, action: 32, trigger: 32 } });
    const ask = () => call(door, PHONE_LINK, { body: { secret: HELD } });
    let refused = 0;
    const asking = Array.from({ length: 20 }, async () => {
      const { body } = await ask();
      if (body.code === 'resource_exhausted') refused++;
    });
    await eventually(() => refused === 12, { what: 'those without a place to be told' });
    expect((await call(door, LIST)).status).toBe(200);
    door.held.resolve();
    await Promise.all(asking);
  });

  test('who waits for a refusal takes no place of others: a person reads, and a device acts, beside many of them', async () => {
    const door = await startDoor({}, { limits: { read: 4, action: 8, trigger: 8 } });
    const guess = () => call(door, SIGN_IN, { body: { consoleToken: { token: 'made up' } } });
    for (let n = 0; n < AT_ONCE; n++) expect((await guess()).status).toBe(401);
    const waiting = Array.from({ length: 8 }, guess);
    await eventually(() => door.seen.filter(({ method }) => method === 'SignIn').length === AT_ONCE + 8, {
      what: 'all of them to be refused',
    });
    expect((await call(door, LIST)).status).toBe(200);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(8).fill(401));
  });

  test('cannot keep others from reading: a good session is read for what its method takes', async () => {
    const door = await startDoor();
    const text = 'x'.repeat(2_000_000);
    // The services behind this door take no configuration: they were asked.
    expect((await call(door, CHECK, { body: { text } })).body).toMatchObject({ code: 'unimplemented' });
    expect((await call(door, LIST, { body: { pageToken: text } })).body).toMatchObject({ code: 'resource_exhausted' });
  });
});

test('a session is asked about once for all calls of a page, and again where it turned out to have ended', async () => {
  const door = await startDoor();
  const answers = await Promise.all(Array.from({ length: 10 }, () => call(door, LIST)));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  const asked = () => door.seen.filter(({ method }) => method === 'GetSession').length;
  expect(asked()).toBe(1);
  await call(door, 'tocsin.console.v1.SessionService/EndAllSessions');
  const before = asked();
  for (let nth = 0; nth < 3; nth++) expect((await call(door, LIST)).status).toBe(401);
  expect(asked()).toBeGreaterThan(before);
});

describe('a browser that asks for a code', () => {
  const browserIn = (cookies: unknown) => /browser=([^;]+)/.exec(String(cookies))?.[1];

  test('gets an id for itself, which it shows when it signs in and keeps ever after, proved then', async () => {
    const door = await startDoor();
    const asked = await call(door, START, { body: { email: 'anna@example.com' }, headers: { cookie: undefined } });
    expect(asked.headers['set-cookie']).toEqual([
      expect.stringMatching(/^tocsin-browser=[0-9a-f]{32}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=34560000$/),
    ]);
    const id = browserIn(asked.headers['set-cookie'])!;
    const signed = await call(door, SIGN_IN, { body: WITH_TOKEN, headers: { cookie: `tocsin-browser=${id}` } });
    expect(signed.headers['set-cookie']).toEqual([
      expect.stringContaining(`tocsin-session=${SECRET};`),
      expect.stringContaining(`tocsin-browser=${id}.${'p'.repeat(43)};`),
    ]);
    expect(signed.text).not.toContain(id);
    expect(door.seen.map(seen => seen['x-tocsin-browser'])).toEqual([id, id]);
    // It has one, and no other method is told.
    const cookie = `tocsin-browser=${id}.${'p'.repeat(43)}; tocsin-session=${SECRET}`;
    const again = await call(door, START, { body: { email: 'anna@example.com' }, headers: { cookie } });
    expect(again.headers['set-cookie']).toBeUndefined();
    await call(door, LIST, { headers: { cookie } });
    expect(door.seen.at(-1)).not.toHaveProperty('x-tocsin-browser');
  });

  test('over https has a cookie of this host alone; one that is no id is not passed on', async () => {
    const door = await startDoor();
    const headers = { origin: 'https://alarm.example', cookie: '__Host-tocsin-browser=6.6.6.6; tocsin-browser=x' };
    const { headers: came } = await call(door, START, { body: { email: 'anna@example.com' }, headers });
    expect(came['set-cookie']).toEqual([expect.stringMatching(/^__Host-tocsin-browser=.*; Path=\/; .*; Secure$/)]);
    expect(door.seen.at(-1)!['x-tocsin-browser']).toBe(browserIn(came['set-cookie']));
  });
});
