import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { describe, expect, test, vi } from 'vitest';
import { CONSOLE_SERVICES } from '../../../facade/console/door.ts';
import { ConfigurationService } from '../../../gen/tocsin/console/v1/configuration_pb.ts';
import { IncidentService } from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import { eventually } from '../../support/wait.ts';
import { call, KEY, SECRET, startDoor, TOKEN } from './door-rig.ts';

const LIST = 'tocsin.incident.v1.IncidentService/ListIncidents';
const SIGN_IN = 'tocsin.console.v1.SessionService/SignIn';
const END = 'tocsin.console.v1.SessionService/EndSession';
const END_ALL = 'tocsin.console.v1.SessionService/EndAllSessions';
const WITH_TOKEN = { consoleToken: { token: TOKEN } };

test('passes a call of our own page on with the session of its cookie, and nothing else that it brought', async () => {
  const door = await startDoor();
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'x-api-key': KEY,
    'x-tocsin-service': 'believe me',
    'x-tocsin-client': '6.6.6.6 somebody else',
    'x-tocsin-account': 'b'.repeat(32),
    'user-agent': 'A browser',
    'accept-language': 'de-AT, en;q=0.7',
  };
  const { status, body, headers: came } = await call(door, LIST, { headers });
  expect([status, body]).toEqual([200, { incidents: [{ id: 'a'.repeat(32) }] }]);
  expect(came['cache-control']).toBe('no-store');
  const [seen] = door.seen;
  expect(seen).toMatchObject({
    authorization: `Bearer ${SECRET}`,
    'x-tocsin-account': 'b'.repeat(32),
    'x-tocsin-client': '127.0.0.1 A browser',
    'accept-language': 'de-AT',
  });
  expect(
    Object.keys(seen!)
      .filter(name => name.startsWith('x-') || name === 'cookie')
      .sort(),
  ).toEqual(['x-tocsin-account', 'x-tocsin-client']);
});

test('refuses in the language of who reads it', async () => {
  const door = await startDoor();
  const said = async (language: string) =>
    (await call(door, LIST, { headers: { cookie: undefined, 'accept-language': language } })).body;
  expect(await said('de')).toMatchObject({ message: 'Melden Sie sich zuerst an.' });
  expect(await said('*, de')).toMatchObject({ message: 'Sign in first.' });
});

describe('turns away before the services hear of it', () => {
  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another page of the same site', { 'sec-fetch-site': 'same-site' }],
    ['a typed address', { 'sec-fetch-site': 'none' }],
    ['without Sec-Fetch, another origin', { 'sec-fetch-site': undefined, origin: 'https://evil.example' }],
    ['without Sec-Fetch, our name on another port', { 'sec-fetch-site': undefined, origin: 'http://127.0.0.1:1' }],
    ['without Sec-Fetch, an origin that is none', { 'sec-fetch-site': undefined, origin: 'null' }],
    ['neither Sec-Fetch nor Origin', { 'sec-fetch-site': undefined, origin: undefined }],
  ])('%s', async (_who, headers) => {
    const door = await startDoor();
    expect(await call(door, LIST, { headers })).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    expect(door.seen).toEqual([]);
  });

  test('a call without the header that no form and no link can send', async () => {
    const door = await startDoor();
    expect(await call(door, LIST, { headers: { 'connect-protocol-version': undefined } })).toMatchObject({
      status: 400,
    });
    expect(door.seen).toEqual([]);
  });

  test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('%s', async verb => {
    const door = await startDoor();
    const { status, headers } = await call(door, `${LIST}?connect=v1&encoding=json&message={}`, { verb });
    expect([status, headers.allow]).toEqual([405, 'POST']);
    expect(door.seen).toEqual([]);
  });

  test.each([
    ['no cookie', undefined],
    ['a console token in the cookie', `tocsin-session=${TOKEN}`],
    ['an API key in the cookie', `tocsin-session=${KEY}`],
    ['the cookie of another kind of line', `__Host-tocsin-session=${SECRET}`],
  ])('%s', async (_what, cookie) => {
    const door = await startDoor();
    const headers = { cookie, authorization: `Bearer ${SECRET}`, 'x-api-key': KEY };
    expect(await call(door, LIST, { headers })).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(door.seen).toEqual([]);
  });

  test.each([
    'application/grpc',
    'application/grpc-web+proto',
    'text/plain',
    'application/x-www-form-urlencoded',
  ])('%s: one protocol is enough', async type => {
    const door = await startDoor();
    expect((await call(door, LIST, { headers: { 'content-type': type } })).status).toBe(415);
    expect(door.seen).toEqual([]);
  });

  test.each([
    'tocsin.internal.v1.BatchService/Batch',
    'tocsin.alarm.v1.AlarmService/Trigger',
    'tocsin.inventory.v1.InventoryService/Describe',
    'tocsin.incident.v1.ResponderService/GetPage',
    'grpc.health.v1.Health/Check',
  ])('%s, which is not for owners', async method => {
    const door = await startDoor();
    expect((await call(door, method)).status).toBe(404);
    expect(door.seen).toEqual([]);
  });
});

test.each([
  ['JSON', {}, Buffer.from('{"incidentId":')],
  ['protobuf', { 'content-type': 'application/proto' }, Buffer.from([0x0a, 0xff, 0x01])],
  ['gzip', { 'content-encoding': 'gzip' }, Buffer.from('{}')],
  ['a stream', { 'content-type': 'application/connect+json' }, Buffer.from([0, 0, 0, 0, 3, 0x7b, 0x7b, 0x7b])],
])('bytes that are no message are their sender’s fault: %s', async (what, headers, bytes) => {
  const door = await startDoor();
  const method = what === 'a stream' ? 'WatchIncidents' : 'ListIncidents';
  const { status, text } = await call(door, `tocsin.incident.v1.IncidentService/${method}`, { headers, bytes });
  if (what !== 'a stream') expect(status).toBe(400);
  expect(text).toContain('"code":"invalid_argument"');
  expect(door.seen.filter(({ method: passedOn }) => passedOn !== 'GetSession')).toEqual([]);
});

test('opens all services for owners, and no others', () => {
  const names = CONSOLE_SERVICES.map(({ typeName }) => typeName);
  expect(names).toContain('tocsin.console.v1.SessionService');
  expect(names.length).toBeGreaterThan(12);
  for (const name of names) expect(name).toMatch(/^tocsin\.(console\.v1\.|incident\.v1\.IncidentService$)/);
});

test('without Sec-Fetch the origin may be the name that was asked, or the public one', async () => {
  const door = await startDoor({ publicUrl: 'https://alarm.example/tocsin' });
  const bare = { 'sec-fetch-site': undefined };
  expect((await call(door, LIST, { headers: bare })).status).toBe(200);
  const proxied = { ...bare, origin: 'https://alarm.example', cookie: `__Host-tocsin-session=${SECRET}` };
  expect((await call(door, LIST, { headers: proxied })).status).toBe(200);
  expect((await call(door, LIST, { headers: { ...proxied, origin: 'https://alarm.example:8443' } })).status).toBe(403);
});

describe('signing in', () => {
  test('puts the secret into a cookie that no script sees, and it never reaches the page', async () => {
    const door = await startDoor();
    const { status, headers, text } = await call(door, SIGN_IN, { body: WITH_TOKEN, headers: { cookie: undefined } });
    expect(status).toBe(200);
    expect(text).not.toContain('tcs_');
    expect(headers['set-cookie']).toEqual([
      `tocsin-session=${SECRET}; Path=/; HttpOnly; SameSite=Strict; Max-Age=34560000`,
    ]);
  });

  test('over https the cookie is of this host alone and never goes over another line', async () => {
    const door = await startDoor();
    const { headers } = await call(door, SIGN_IN, { body: WITH_TOKEN, headers: { origin: 'https://alarm.example' } });
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-tocsin-session=tcs_.*; Path=\/; .*; Secure$/),
    ]);
    expect(String(headers['set-cookie'])).not.toContain('Domain');
  });

  test('with what opens nothing sets nothing', async () => {
    const door = await startDoor();
    for (const token of [KEY, SECRET, 'tcn_wrong', '']) {
      const { status, headers } = await call(door, SIGN_IN, { body: { consoleToken: { token } } });
      expect([status, headers['set-cookie']]).toEqual([401, undefined]);
    }
  });

  test('over an open line is refused where the deployment wants that, in a sentence', async () => {
    const door = await startDoor({ consoleOpenLine: 'refused' });
    const refused = await call(door, SIGN_IN, { body: WITH_TOKEN });
    expect(refused.body).toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('not encrypted'),
    });
    expect(door.seen).toEqual([]);
    const origin = 'https://alarm.example';
    expect((await call(door, SIGN_IN, { body: WITH_TOKEN, headers: { origin } })).status).toBe(200);
  });

  test('from another site is refused: nobody is signed in as somebody else', async () => {
    const door = await startDoor();
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect((await call(door, SIGN_IN, { body: WITH_TOKEN, headers })).status).toBe(403);
    expect(door.seen).toEqual([]);
  });
});

test('signing out takes the cookie away; ending a session elsewhere leaves it', async () => {
  const door = await startDoor();
  expect((await call(door, END, { body: { sessionId: 'another' } })).headers['set-cookie']).toBeUndefined();
  const gone = 'tocsin-session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0';
  expect((await call(door, END, { body: { sessionId: 'own' } })).headers['set-cookie']).toEqual([gone]);
  const other = await startDoor();
  expect((await call(other, END_ALL)).headers['set-cookie']).toEqual([gone]);
});

test('follows a stream until its reader leaves, and a session may have 20', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  const door = await startDoor({ rateLimits: 'off' });
  const headers = { origin: door.url, 'sec-fetch-site': 'same-origin', cookie: `tocsin-session=${SECRET}` };
  const transport = createConnectTransport({ baseUrl: `${door.url}/rpc`, httpVersion: '1.1' });
  const client = createClient(IncidentService, transport);
  const readers = Array.from({ length: 20 }, () => new AbortController());
  for (const { signal } of readers) {
    const events = client.watchIncidents({}, { headers, signal })[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ kind: 'ready' });
    events.next().catch(() => {});
  }
  await eventually(() => door.streams.open === 20, { what: 'all streams to be open' });
  const more = client.watchIncidents({}, { headers })[Symbol.asyncIterator]();
  await expect(more.next()).rejects.toThrow('Too many pages');
  const other = createClient(ConfigurationService, transport).apply({}, { headers })[Symbol.asyncIterator]();
  await expect(other.next()).rejects.toThrow('Too many pages');
  for (const reader of readers) reader.abort();
  await eventually(() => door.streams.open === 0, { what: 'all streams to end' });
  expect(said).not.toHaveBeenCalled();
});
