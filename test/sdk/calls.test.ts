import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, type Mode, type TocsinError, UnavailableError } from '../../facade/sdk/client.ts';
import { eventually } from '../support/wait.ts';
import { HandClock } from './hand-clock.ts';
import { aHouse } from './rig.ts';

const KEY = 'toc_any';
const ID = 'a'.repeat(32);
const TRACE = '0af76519-16cd-43dd-8448-eb211c80319c';

/** What a call failed with. */
async function failure(call: Promise<unknown>): Promise<TocsinError> {
  return call.then(
    value => expect.fail(`It succeeded: ${JSON.stringify(value)}`),
    error => error,
  );
}

/** A server that is none of ours. Gives its URL, and the paths and keys that it was asked with. */
async function someServer(answer: RequestListener) {
  const asked: { path: string | undefined; key: unknown }[] = [];
  const server = createServer((request, response) => {
    asked.push({ path: request.url, key: request.headers['x-api-key'] });
    answer(request, response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test('every call does what its name says, and tells where it went', async () => {
  const { world, owner, alarmId, panicId, url } = await aHouse();
  const client = createClient({ url: `${url}/`, key: await owner.key() });
  const stateAfter = async (call: Promise<{ environment: string; location?: object; traceId: string }>) => {
    const receipt = await call;
    expect(receipt).toMatchObject({ environment: 'live', location: { id: owner.locationId, name: 'Home' } });
    expect(receipt.traceId).toMatch(/^[\da-f-]{36}$/);
    await world.settle();
    return (await client.state()).alarms[0]?.state;
  };
  expect(await stateAfter(client.arm(alarmId, 'night'))).toBe('night');
  expect(await stateAfter(client.arm(alarmId))).toBe('night');
  expect(await stateAfter(client.disarm(alarmId))).toBe('disarmed');
  expect(await stateAfter(client.trigger(alarmId))).toBe('triggered');
  expect(await stateAfter(client.clear(alarmId))).toBe('disarmed');
  expect(await stateAfter(client.trigger(alarmId, 'night'))).toBe('triggered');
  await stateAfter(client.panic.trigger(panicId));
  expect((await owner.incidents()).map(({ status }) => status)).toHaveLength(3);
  await stateAfter(client.panic.clear(panicId));
  expect(await client.describe()).toMatchObject({
    locations: [{ id: owner.locationId, alarms: [{ id: alarmId }], panicButtons: [{ id: panicId }] }],
    realtime: { httpHost: new URL(url).host, channel: `/account/${owner.accountId}` },
  });
});

test('every failure is an error of its own kind', async () => {
  const { owner, alarmId, url } = await aHouse();
  const client = createClient({ url, key: await owner.key() });
  const stranger = createClient({ url, key: KEY });
  expect(await failure(stranger.arm(alarmId))).toMatchObject({ kind: 'unauthorized', name: 'UnauthorizedError' });
  expect(await failure(client.arm('x'.repeat(32)))).toMatchObject({ kind: 'not_found', traceId: expect.any(String) });
  const unknown = await failure(client.arm(alarmId, 'dnd' as Mode));
  expect(unknown).toMatchObject({ kind: 'unknown_mode', message: expect.stringContaining('dnd') });
  expect(unknown).toHaveProperty('help', expect.stringMatching(/^http.*\/docs\/arming/));
});

test('links that this client does not know change nothing (SPEC.md 9)', async () => {
  const links = { help: 'https://alarm.example.com/docs/arming', deprecation: { not: 'a text' } };
  const { url } = await someServer((request, response) => {
    const accepted = request.url!.includes('/arm/night');
    const data = accepted ? { environment: 'live' } : {};
    const message = accepted ? null : 'Unknown mode "dnd".';
    response.writeHead(accepted ? 202 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: !accepted, message, links, traceId: TRACE, data, further: [1] }));
  });
  const client = createClient({ url, key: KEY });
  expect(await client.arm(ID, 'night')).toMatchObject({ environment: 'live', traceId: TRACE });
  expect(await failure(client.arm(ID, 'dnd' as Mode))).toMatchObject({
    kind: 'unknown_mode',
    help: links.help,
    traceId: TRACE,
  });
});

test('an id or a mode that would turn the call into another one is not sent', async () => {
  const { owner, alarmId, url } = await aHouse();
  const client = createClient({ url, key: await owner.key() });
  for (const mode of ['', '.', '..']) {
    await expect(client.arm(alarmId, mode as Mode)).rejects.toThrow(TypeError);
    await expect(client.disarm(mode)).rejects.toThrow(TypeError);
  }
  expect(await failure(client.arm(alarmId, '../disarm?' as Mode))).toMatchObject({ kind: 'unknown_mode' });
  expect(await failure(client.arm(`${alarmId}/arm#`))).toMatchObject({ kind: 'not_found' });
  expect((await client.state()).alarms).toEqual([{ id: alarmId, state: 'disarmed' }]);
});

test('a service that takes nothing at the moment says when to come again', async () => {
  const { owner, alarmId, url } = await aHouse({ limits: { read: 0, action: 0, trigger: 0 } });
  const error = await failure(createClient({ url, key: await owner.key() }).trigger(alarmId));
  expect(error).toBeInstanceOf(UnavailableError);
  expect(error).toMatchObject({ kind: 'unavailable', status: 503, retryAfterMs: 1_000 });
});

test.each([
  ['7', 7_000],
  ['0', 0],
  ['Wed, 21 Oct 2026 07:28:00 GMT', null],
  ['-5', null],
])('a 429 with Retry-After: %s means to wait %s ms', async (retryAfter, retryAfterMs) => {
  const { url } = await someServer((_request, response) => {
    response.writeHead(429, { 'retry-after': retryAfter }).end('{"message":"Slowly."}');
  });
  const error = await failure(createClient({ url, key: KEY }).state());
  expect(error).toMatchObject({ kind: 'unavailable', status: 429, message: 'Slowly.', retryAfterMs });
});

test.each([
  [200, '<html>'],
  [200, '{"data":{}}'],
  [202, '{"traceId":"x","data":[]}'],
  [204, ''],
  [404, '<html>'],
  [404, '{"message":"There is nothing here."}'],
  [500, '{"error":true,"message":"x","links":{},"traceId":"x","data":{}}'],
])('a %i with %s is an unexpected answer', async (status, body) => {
  const { url } = await someServer((_request, response) => {
    response.writeHead(status).end(body);
  });
  expect(await failure(createClient({ url, key: KEY }).arm('a'))).toMatchObject({ kind: 'unexpected', status });
});

test('a key is not carried to where an answer redirects', async () => {
  const other = await someServer((_request, response) => response.end());
  const { url, asked } = await someServer((_request, response) => {
    response.writeHead(307, { location: other.url }).end();
  });
  expect(await failure(createClient({ url, key: KEY }).arm('a'))).toMatchObject({ kind: 'network' });
  expect(asked).toEqual([{ path: '/v1/alarm/a/arm', key: KEY }]);
  expect(other.asked).toEqual([]);
});

test('a server that is not there, or does not answer in time, is a network error', async () => {
  const { url, close } = await aHouse();
  await close();
  const nobody = await failure(createClient({ url, key: KEY }).state());
  expect(nobody).toMatchObject({ kind: 'network', message: expect.stringContaining('ECONNREFUSED') });

  const clock = new HandClock();
  const silent = await someServer(() => {});
  const call = failure(createClient({ url: silent.url, key: KEY, clock, timeoutMs: 2_000 }).state());
  await eventually(() => silent.asked.length > 0, { what: 'the call' });
  clock.advance(2_000);
  expect(await call).toMatchObject({ kind: 'network', message: expect.stringContaining('2000 ms') });
  expect(clock.waiting).toEqual([]);
});

test.each([
  'alarm.example.com',
  'ftp://a.example',
  'https://a.example/v1',
  'https://',
  '',
])('the URL %j is refused before anything is sent', url => {
  expect(() => createClient({ url, key: KEY })).toThrow(/URL/);
});

test('calls go to the path that a proxy has put before the service', async () => {
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    throw new Error('far away');
  };
  await failure(createClient({ url: 'https://a.example/tocsin/', key: KEY, fetch }).state());
  expect(asked).toEqual(['https://a.example/tocsin/v1/integration/state']);
});

test.each(['', ' toc_x', 'toc_x\n', 'töc'])('the key %j is refused before anything is sent', key => {
  expect(() => createClient({ url: 'https://a.example', key })).toThrow(/key/);
});
