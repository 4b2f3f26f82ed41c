import { connect as connectHttp2, constants } from 'node:http2';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { expect, onTestFinished, test } from 'vitest';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { eventually } from '../support/wait.ts';
import type { World } from '../support/world.ts';
import { APPLY, aNeighbour, openConnections, saying } from './connections-rig.ts';

/* DECISIONS.md "RPC port": what strangers may take of it, with a neighbour who must not notice. */

const UNFINISHED = [
  ['nothing', ''],
  ['half of what HTTP/2 begins with', 'PRI * HT'],
  ['what HTTP/2 begins with, and nothing more', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'],
  ['half a header', 'POST /x HTTP/1.1\r\nHost: x\r\nContent-'],
  [
    'half a body',
    `POST ${APPLY} HTTP/1.1\r\nHost: x\r\nContent-Type: application/connect+proto\r\nContent-Length: 9\r\n\r\nabc`,
  ],
] as const;

test('a thousand connections that say nothing, or half of something, keep nobody out and end nothing that is under way', async () => {
  const connections = { all: 100, perAddress: 100 };
  const { world, key, triggers } = await aNeighbour({ rpc: { connections } });
  const stream = createClient(InventoryService, createGrpcTransport({ baseUrl: world.rpcUrl }));
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const told = stream.watchChanges({}, { headers: { 'x-api-key': key }, signal: gone.signal })[Symbol.asyncIterator]();
  // Everything first.
  for (let nth = 0; nth < 2; nth++) await told.next();

  for (let nth = 0; nth < 200; nth++) {
    await Promise.all(UNFINISHED.map(([, bytes]) => saying(world, bytes)));
    if (nth % 50 === 49) await triggers();
  }
  expect(await openConnections()).toBeLessThanOrEqual(connections.all + UNFINISHED.length);
  expect((await told.next()).value).toMatchObject({ change: { kind: 'state' } });
});

test.each(UNFINISHED)('a connection that says %s is ended in time', async (_, bytes) => {
  const times = { firstBytes: 300, headers: 300, request: 300, idle: 300 };
  const { world, triggers } = await aNeighbour({ rpc: { times } });
  const { closed } = await saying(world, bytes);
  await closed;
  await triggers();
});

test('a request over HTTP/2 that is never finished is ended in time, and what its sender drips does not help it', async () => {
  const times = { firstBytes: 10_000, headers: 1_000, request: 1_000, idle: 600_000 };
  const { world, key, triggers } = await aNeighbour({ rpc: { times } });
  const session = connectHttp2(world.rpcUrl);
  onTestFinished(() => session.destroy());
  const stream = session.request({
    ':method': 'POST',
    ':path': `/${AlarmService.typeName}/Trigger`,
    'content-type': 'application/grpc',
    'x-api-key': key,
  });
  stream.on('error', () => {});
  const drip = setInterval(() => stream.write('a'), 100);
  await new Promise(resolve => stream.once('close', resolve));
  clearInterval(drip);
  expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL);
  await triggers();
});

const CHECK = '/grpc.health.v1.Health/Check';
const JSON_BODY = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';

test.each([
  ['no host', `POST ${CHECK} HTTP/1.0\r\n${JSON_BODY}`],
  ['an empty host', `POST ${CHECK} HTTP/1.1\r\nHost:\r\n${JSON_BODY}`],
  ['a host that is none', `POST ${CHECK} HTTP/1.1\r\nHost: [\r\n${JSON_BODY}`],
])('a request with %s is refused, and ends nothing but itself', async (_, bytes) => {
  const { world, triggers } = await aNeighbour();
  const { received } = await saying(world, bytes);
  await eventually(() => received().startsWith('HTTP/1.1 400 '), { what: 'the refusal' });
  await triggers();
});

test('a request over HTTP/2 with a host that is none is refused, and ends nothing but itself', async () => {
  const { world, triggers } = await aNeighbour();
  const session = connectHttp2(world.rpcUrl);
  onTestFinished(() => session.destroy());
  const stream = session.request({
    ':method': 'POST',
    ':path': CHECK,
    ':authority': '[',
    'content-type': 'application/json',
  });
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  stream.on('response', headers => resolve(headers[':status']));
  stream.end('{}');
  expect(await promise).toBe(400);
  await triggers();
});

/** Cancels so many requests as soon as they are sent, and says what became of the connection. */
async function cancelling({ rpcUrl }: World, times: number, known: Record<string, string> = {}) {
  const session = connectHttp2(rpcUrl);
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  const head = { ':method': 'POST', ':path': CHECK, 'content-type': 'application/json', ...known };
  const first = session.request(head).on('error', () => {});
  first.resume().end('{}');
  await new Promise(resolve => first.once('close', resolve));
  for (let nth = 0; nth < times && !session.destroyed; nth++) {
    const stream = session.request(head).on('error', () => {});
    const closed = new Promise(resolve => stream.once('close', resolve));
    stream.close(constants.NGHTTP2_CANCEL);
    await closed;
  }
  return new Promise<'ended' | 'open'>(resolve => {
    session.once('close', () => resolve('ended'));
    if (session.destroyed || !session.ping(error => resolve(error === null ? 'open' : 'ended'))) resolve('ended');
  });
}

test('a connection that cancels its requests as fast as it makes them is ended; one that cancels all it has in flight stays, and so does that of another part', async () => {
  const serviceToken = 'a token of the services that is long enough';
  const { world, triggers } = await aNeighbour({ serviceToken });
  expect(await cancelling(world, 90)).toBe('open');
  const ended = Array.from({ length: 10 }, () => cancelling(world, 700));
  await triggers();
  expect(new Set(await Promise.all(ended))).toEqual(new Set(['ended']));
  expect(await cancelling(world, 700, { 'x-tocsin-service': serviceToken })).toBe('open');
  await triggers();
});

test('a connection whose other end has gone half-way is let go of', async () => {
  const { world, triggers } = await aNeighbour();
  const before = await openConnections();
  for (const [, bytes] of UNFINISHED) {
    const { socket, closed } = await saying(world, bytes);
    socket.end();
    await closed;
    socket.destroy();
  }
  await eventually(async () => (await openConnections()) <= before, { what: 'the connections to be gone' });
  await triggers();
});

test('nobody unknown is waited for: the answer comes before the body, however large that is to be', async () => {
  const { world, triggers } = await aNeighbour();
  const head = `POST ${APPLY} HTTP/1.1\r\nHost: x\r\nContent-Type: application/connect+proto\r\nContent-Length: 15000000\r\n\r\n`;
  const asked = await Promise.all(Array.from({ length: 60 }, () => saying(world, head)));
  for (const { received } of asked) {
    await eventually(() => received().includes('"unauthenticated"'), { what: 'the refusal' });
  }
  await triggers();
});

test.each([
  ['more fields than any client sends', 110, 'refused'],
  ['as many as a client and its proxies may send', 50, 'answered'],
])('a request over HTTP/2 with %s, %i, is %s, and the next one of its connection answered', async (_, fields, outcome) => {
  const { world, triggers } = await aNeighbour();
  const session = connectHttp2(world.rpcUrl);
  onTestFinished(() => session.destroy());
  const head = { ':method': 'POST', ':path': CHECK, 'content-type': 'application/json' };
  const ask = async (more: Record<string, string>) => {
    const stream = session.request({ ...head, ...more });
    const { promise, resolve } = Promise.withResolvers<string>();
    stream.on('response', headers => resolve(headers[':status'] === 200 ? 'answered' : 'wrong'));
    stream.on('error', () => resolve(stream.rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM ? 'refused' : 'wrong'));
    stream.resume().end('{}');
    return promise;
  };
  const many = Object.fromEntries(Array.from({ length: fields }, (_, nth) => [`x-filler-${nth}`, 'x']));
  expect(await ask(many)).toBe(outcome);
  expect(await ask({})).toBe('answered');
  await triggers();
});
