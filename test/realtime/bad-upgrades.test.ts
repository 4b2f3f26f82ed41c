import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, expectInTime } from '../support/wait.ts';
import { attempt, GOOD, HOLDER } from './bad-input-rig.ts';
import { SUBPROTOCOL } from './client.ts';
import { KEYS, startRig } from './rig.ts';

const { owner, outsider } = KEYS;

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

  test.each([
    ['asks for an old version', 'GET /event/realtime', { ...GOOD, 'sec-websocket-version': '12' }, 426],
    ['asks for a tunnel', 'CONNECT x:1', {}, 400],
  ])('a client that %s and keeps its half of the connection open holds nothing up', async (_, ask, headers, status) => {
    const rig = await startRig();
    const socket = connect({ host: '127.0.0.1', port: rig.port, allowHalfOpen: true });
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.write(`${ask} HTTP/1.1\r\nHost: localhost\r\n${lines.join('\r\n')}\r\n\r\n`);
    let received = '';
    socket.setEncoding('utf8').on('data', chunk => (received += chunk));
    await eventually(() => socket.readableEnded, { what: 'the end of the answer' });
    expect(received).toContain(`HTTP/1.1 ${status}`);
    const started = performance.now();
    await rig.facade.close();
    expectInTime(performance.now() - started, 4_000);
  });

  test.each([
    ['a page', 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a call without a key', 'GET /v1/integration/state HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['many', 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(30)],
  ])('one behind %s that is not answered yet ends its connection, and nothing else', async (_, before) => {
    const rig = await startRig();
    const bystander = await rig.listening(outsider);
    const headers = Object.entries(GOOD).map(([name, value]) => `${name}: ${value}\r\n`);
    const upgrade = `GET /event/realtime HTTP/1.1\r\nHost: localhost\r\n${headers.join('')}\r\n`;
    const socket = connect({ host: '127.0.0.1', port: rig.port });
    onTestFinished(() => void socket.destroy());
    const closed = new Promise(resolve => socket.on('error', () => {}).once('close', resolve));
    let received = '';
    socket.setEncoding('latin1').on('data', chunk => (received += chunk));
    socket.write(before + upgrade);
    await closed;
    expect(received).not.toContain('101 Switching');
    rig.change('state', '', outsider.accountId);
    await bystander.told({ type: 'data' });
    expect((await attempt(rig)).status).toBe(101);
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
