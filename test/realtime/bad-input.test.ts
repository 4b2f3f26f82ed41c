import { randomBytes } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/wait.ts';
import { holderOf, SUBPROTOCOL } from './client.ts';
import { KEYS, type Rig, startRig } from './rig.ts';

const { owner, outsider } = KEYS;
const HOLDER = holderOf({ host: 'localhost', Authorization: owner.secret });
const GOOD = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol': `${SUBPROTOCOL}, ${HOLDER}`,
};

/** What became of an attempt to upgrade: an answer over HTTP, or a connection that is a WebSocket now. */
interface Attempt {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
  socket: Socket | null;
}

function attempt(
  { port }: Rig,
  { method = 'GET', path = '/event/realtime', headers = {} }: { method?: string; path?: string; headers?: object } = {},
): Promise<Attempt> {
  const wanted = Object.entries({ ...GOOD, ...headers }).filter(([, value]) => value !== undefined);
  return new Promise((resolve, reject) => {
    const asking: ClientRequest = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: Object.fromEntries(wanted),
      agent: false,
    });
    asking.on('upgrade', ({ statusCode: status = 0, headers }, socket) => {
      socket.on('error', () => {});
      onTestFinished(() => void socket.destroy());
      resolve({ status, headers, body: '', socket: socket as Socket });
    });
    asking.on('response', answer => {
      let body = '';
      answer.setEncoding('utf8').on('data', chunk => (body += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body, socket: null }));
    });
    asking.on('error', reject);
    asking.end();
  });
}

/** A frame of a client (RFC 6455, section 5.2), right or wrong. */
function frame(
  payload: Buffer | string,
  { opcode = 1, bits = 0x80, masking = 'masked', length }: FrameShape = {},
): Buffer {
  const data = Buffer.from(payload);
  const size = length ?? data.length;
  const masked = masking === 'masked' ? 0x80 : 0;
  const head =
    size < 126
      ? Buffer.from([bits | opcode, masked | size])
      : Buffer.from([
          bits | opcode,
          masked | 127,
          0,
          0,
          0,
          0,
          ...new Uint8Array(new Uint32Array([size]).buffer).reverse(),
        ]);
  if (masking === 'plain') return Buffer.concat([head, data]);
  const mask = randomBytes(4);
  const hidden = data.map((byte, at) => byte ^ mask[at % 4]!);
  return Buffer.concat([head, mask, hidden]);
}

interface FrameShape {
  opcode?: number;
  bits?: number;
  masking?: 'masked' | 'plain';
  length?: number;
}

/** The code of the close frame that comes, once the connection has ended. */
async function closeCode(socket: Socket): Promise<number | null> {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
  });
  await eventually(() => socket.closed || socket.readableEnded, { what: 'the end of the connection' });
  const close = received.lastIndexOf(Buffer.from([0x88]));
  return close < 0 ? null : received.readUInt16BE(close + 2);
}

describe('an upgrade that is malformed', () => {
  test.each([
    ['no version', { 'sec-websocket-version': undefined }, 426],
    ['an old version', { 'sec-websocket-version': '8' }, 426],
    ['no nonce', { 'sec-websocket-key': undefined }, 400],
    ['a wrong nonce', { 'sec-websocket-key': 'nonce' }, 400],
    ['no subprotocol', { 'sec-websocket-protocol': undefined }, 400],
    ['another subprotocol', { 'sec-websocket-protocol': `graphql-ws, ${HOLDER}` }, 400],
    ['a second subprotocol that is no base64url', { 'sec-websocket-protocol': `${SUBPROTOCOL}, header-a.b` }, 400],
    ['a second subprotocol that is no JSON', { 'sec-websocket-protocol': `${SUBPROTOCOL}, header-bm90` }, 400],
    ['two keys', { 'sec-websocket-protocol': `${SUBPROTOCOL}, ${HOLDER}, ${HOLDER}` }, 400],
    ['another upgrade', { upgrade: 'h2c' }, 426],
    ['none', { upgrade: undefined, connection: undefined }, 426],
  ])('%s is answered before it, with %j: %i, and without a question to the services', async (_, headers, status) => {
    const rig = await startRig();
    const bystander = await rig.listening(outsider);
    const asked = rig.services.asked.length;
    const answer = await attempt(rig, { headers });
    expect(answer).toMatchObject({ status, socket: null });
    expect(JSON.parse(answer.body)).toEqual({ message: expect.any(String) });
    expect(answer.body).not.toContain(owner.secret);
    if (status === 426 && 'sec-websocket-version' in headers) {
      expect(answer.headers['sec-websocket-version']).toBe('13');
    }
    expect(rig.services.asked).toHaveLength(asked);
    rig.change('state', '', outsider.accountId);
    await bystander.told({ type: 'data' });
  });

  test('a repeated subprotocol, which ws itself refuses, gives its place back', async () => {
    const rig = await startRig({ limits: { sockets: 1 } });
    const twice = await attempt(rig, { headers: { 'sec-websocket-protocol': `${SUBPROTOCOL}, ${SUBPROTOCOL}` } });
    expect(twice.status).toBe(400);
    expect((await attempt(rig)).status).toBe(101);
  });

  test.each(['POST', 'PUT', 'HEAD', 'OPTIONS'])('%s opens no socket', async method => {
    const rig = await startRig();
    const answer = await attempt(rig, { method });
    expect(answer.socket).toBe(null);
    expect(answer.status).toBe(404);
    expect(rig.services.asked).toEqual([]);
  });

  test.each([
    '/event',
    '/event/realtime/more',
    '/event/realtimes',
    '/',
    '/%65vent/realtime',
    '/livez',
  ])('there is no socket at %s', async path => {
    const rig = await startRig();
    expect((await attempt(rig, { path })).socket).toBe(null);
    expect(rig.services.asked).toEqual([]);
  });

  test.each([
    '/event/realtime',
    '/event/realtime/',
    '/event/realtime?header=x&payload=y',
  ])('there is one at %s', async path => {
    const rig = await startRig();
    const { status, headers } = await attempt(rig, { path });
    expect(status).toBe(101);
    expect(headers['sec-websocket-protocol']).toBe(SUBPROTOCOL);
    expect(headers['sec-websocket-extensions']).toBe(undefined);
  });

  test.each([
    'websocket',
    'h2c',
  ])('a call elsewhere that offers an upgrade to %s is a call as any other', async upgrade => {
    const rig = await startRig();
    const answer = await attempt(rig, { path: '/livez', headers: { upgrade } });
    expect(answer).toMatchObject({ status: 200, body: '{"status":"alive"}', socket: null });
  });

  test('a refused client that keeps its half of the connection open holds nothing up', async () => {
    const rig = await startRig();
    const socket = connect({ host: '127.0.0.1', port: rig.port, allowHalfOpen: true });
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    const headers = { ...GOOD, 'sec-websocket-version': '12' };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.write(`GET /event/realtime HTTP/1.1\r\nHost: localhost\r\n${lines.join('\r\n')}\r\n\r\n`);
    let received = '';
    socket.setEncoding('utf8').on('data', chunk => (received += chunk));
    await eventually(() => socket.readableEnded, { what: 'the end of the answer' });
    expect(received).toContain('HTTP/1.1 426');
    const started = performance.now();
    await rig.facade.close();
    expect(performance.now() - started).toBeLessThan(4_000);
  });

  test('a client that goes away while its key is asked about leaves nothing behind', async () => {
    const rig = await startRig({ limits: { sockets: 1 } });
    const arrival = Promise.withResolvers<void>();
    rig.services.underWay = arrival.promise;
    const asking = request({ host: '127.0.0.1', port: rig.port, path: '/event/realtime', headers: GOOD, agent: false });
    asking.on('error', () => {});
    asking.end();
    await eventually(() => rig.services.asked.length, { what: 'the question' });
    asking.socket!.resetAndDestroy();
    expect((await attempt(rig)).status).toBe(503);
    arrival.resolve();
    await eventually(async () => (await attempt(rig)).status === 101, { what: 'its place' });
  });
});

describe('frames that are wrong', () => {
  const bad = Buffer.from([0xff, 0xfe, 0xfd]);
  test.each<[string, Buffer[], number]>([
    ['unmasked', [frame('{}', { masking: 'plain' })], 1002],
    ['with a reserved bit', [frame('{}', { bits: 0xc0 })], 1002],
    ['with an unknown opcode', [frame('{}', { opcode: 3 })], 1002],
    ['a continuation of nothing', [frame('{}', { opcode: 0 })], 1002],
    ['a ping in pieces', [frame('', { opcode: 9, bits: 0 })], 1002],
    ['a ping of 126 bytes', [frame(Buffer.alloc(126), { opcode: 9 })], 1002],
    ['a close with an invalid code', [frame(Buffer.from([0x03, 0xed]), { opcode: 8 })], 1002],
    ['text that is no UTF-8', [frame(bad)], 1007],
    ['a message of 16 KB and one byte', [frame(Buffer.alloc(16 * 1024 + 1, 'x'))], 1009],
    ['the announcement of 4 GB', [frame('', { length: 0xffff_ffff })], 1009],
    [
      'many small pieces of one message',
      [frame('x', { bits: 0 }), ...repeat(100, frame('x', { opcode: 0, bits: 0 }))],
      1008,
    ],
    [
      'large pieces of one message',
      [frame(Buffer.alloc(9_000), { bits: 0 }), frame(Buffer.alloc(9_000), { opcode: 0, bits: 0 })],
      1009,
    ],
    ['binary', [frame('{}', { opcode: 2 })], 1003],
    ['51 messages at once', repeat(51, frame('{}')), 1008],
    ['51 pings at once', repeat(51, frame('', { opcode: 9 })), 1008],
  ])('%s: the socket ends with the code for that, and others notice nothing', async (_, frames, code) => {
    const rig = await startRig();
    const bystander = await rig.listening(outsider);
    const { socket } = await attempt(rig);
    const ended = closeCode(socket!);
    for (const bytes of frames) socket!.write(bytes);
    expect(await ended).toBe(code);
    rig.change('state', '', outsider.accountId);
    await bystander.told({ type: 'data' });
    await bystander.settled();
    expect(bystander.signals).toHaveLength(1);
  });

  test('50 messages at once and one of 16 KB are taken, and what is not understood is said', async () => {
    const rig = await startRig();
    const client = await rig.open({ key: owner.secret });
    client.say('x'.repeat(16 * 1024));
    for (let n = 1; n < 50; n += 1) client.say({ type: 'weather', id: `${n}` });
    await client.told({ type: 'error', id: '49' });
    expect(client.messages).toHaveLength(50);
    expect(new Set(client.messages.map(({ errors }) => errors?.[0]?.errorType))).toEqual(
      new Set(['UnsupportedOperation']),
    );
  });

  test('noise on hundreds of connections leaves nothing behind', async () => {
    const rig = await startRig({ limits: { socketsPerKey: 5 } });
    const bystander = await rig.listening(outsider);
    for (let round = 0; round < 60; round += 1) {
      const sockets = await Promise.all(Array.from({ length: 5 }, () => attempt(rig)));
      for (const { socket } of sockets) socket!.write(randomBytes(round + 1));
      for (const { socket } of sockets) socket!.destroy();
      await eventually(async () => (await open(rig)) === 1, { what: 'the end of all of them' });
    }
    await rig.listening(owner);
    rig.change('state', '', outsider.accountId);
    await bystander.told({ type: 'data' });
  });
});

describe('publishing over HTTP', () => {
  test.each([
    ['a good key', { 'x-api-key': owner.secret }, JSON.stringify({ channel: '/account', events: ['{}'] })],
    ["an outsider's key", { authorization: outsider.secret }, '{}'],
    ['no key', {}, ''],
    ['a body that is no JSON', { 'content-type': 'application/json' }, '{'],
    ['a large body', { 'content-type': 'text/plain' }, 'x'.repeat(2_000_000)],
  ])('with %s is refused in the form that clients read', async (_, headers, body) => {
    const rig = await startRig();
    const answer = await fetch(`${rig.url}/event`, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body,
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('x-amzn-errortype')).toBe('UnauthorizedException');
    const message = 'Nobody may publish here.';
    expect(await answer.json()).toEqual({ message, errors: [{ errorType: 'UnauthorizedException', message }] });
    expect(rig.services.asked).toEqual([]);
    expect(rig.bus.published).toEqual([]);
  });
});

test('no key is ever written to the log, whatever goes wrong', async () => {
  const rig = await startRig();
  const client = await rig.listening();
  rig.services.state = 'down';
  client.say({ type: 'subscribe', id: 'b', channel: '/account', authorization: { Authorization: owner.secret } });
  await client.end();
  await attempt(rig);
  expect(rig.log.length).toBeGreaterThan(0);
  expect(rig.log.join('')).not.toContain(owner.secret);
  expect(rig.log.join('')).not.toContain(HOLDER.slice('header-'.length));
});

function repeat(count: number, bytes: Buffer): Buffer[] {
  return Array.from({ length: count }, () => bytes);
}

async function open({ url }: Rig): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^tocsin_realtime_sockets (\d+)$/m.exec(text)?.[1]);
}
