import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { connectionLimits, connectionsSentence } from '../../services/limits/connections.ts';
import { figureOf } from '../support/figures.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { ALARM, get, KEY, open, type Rig, raw, startRig, statuses } from './rig.ts';

const PATH = `/v1/alarm/${ALARM}/trigger`;

/** Starts of requests with bodies that never end, as they leak a connection each where nobody ends them. */
const UNFINISHED = [
  ['of the page', 'POST /i/token/acknowledge HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc'],
  ['of a carrier', 'POST /carrier/twilio/status HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'],
  [
    'of JSON, to nowhere',
    'POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  ],
  ['in chunks, to nowhere', 'POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'],
  [
    'of somebody who signs in',
    'POST /rpc/tocsin.console.v1.SessionService/SignIn HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnect-Protocol-Version: 1\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 99\r\n\r\n{',
  ],
  ['of a call', `POST ${PATH} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${KEY}\r\nContent-Length: 9\r\n\r\n{`],
] as const;

async function connections({ url }: Rig): Promise<number> {
  return figureOf(url, 'tocsin_http_connections');
}

test.each(UNFINISHED)('a body that never ends, %s, is cut off when its sender goes', async (_, bytes) => {
  const rig = await startRig();
  const before = await connections(rig);
  const ended = await Promise.all(Array.from({ length: 20 }, () => raw(rig, bytes, 'half_close')));
  expect(ended.length).toBe(20);
  await eventually(async () => (await connections(rig)) <= before, { what: 'the connections to be gone' });
});

test.each(UNFINISHED)(
  'a body that never ends, %s, is cut off in time where its sender stays',
  { timeout: 30_000 },
  async (_, bytes) => {
    const rig = await startRig();
    // Ends when the facade ends it.
    await raw(rig, bytes);
    expect(rig.backend.acted).toEqual([]);
  },
);

test('headers that never end get 408, a body that never ends gets no second answer, and both are cut off', async () => {
  const rig = await startRig();
  const headers = raw(rig, 'GET /v1/integration/state HTTP/1.1\r\nX-A: ');
  const body = raw(rig, `${get(PATH, ['Connection: keep-alive', 'Content-Length: 1000'])}abc`);
  expect(statuses(await headers)).toEqual([408]);
  expect(statuses(await body)).toEqual([202]);
});

test('bytes that are no HTTP, in a body that somebody waits for, end the connection', async () => {
  const rig = await startRig();
  const answer = await raw(
    rig,
    'POST /carrier/twilio/status HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n',
  );
  expect(statuses(answer)).toEqual([400]);
});

test('a whole call acts though its sender hangs up at once, each of a thousand', async () => {
  const rig = await startRig({ config: { rateLimits: 'off' } });
  for (let nth = 0; nth < 1_000; nth++) {
    const { socket } = open(rig);
    await new Promise(resolve => socket.once('connect', resolve));
    await new Promise<void>(resolve => socket.write(get(PATH), () => resolve()));
    socket.destroy();
  }
  await eventually(() => rig.backend.acted.length === 1_000, { what: 'every call to act' });
});

test('thousands of requests in one piece, whose answers nobody takes, end their connections, and a neighbour is served', async () => {
  const rig = await startRig();
  for (const bytes of ['GET /docs HTTP/1.1\r\nHost: x\r\n\r\n', get(PATH, ['Connection: keep-alive'])]) {
    const crowd = Array.from({ length: 100 }, () => open(rig));
    for (const { socket } of crowd) socket.pause().write(bytes.repeat(2_000));
    const began = performance.now();
    for (let nth = 0; nth < 20; nth++) expect((await fetch(`${rig.url}/livez`)).status).toBe(200);
    // Two hundred thousand requests would take tens of seconds.
    expectInTime(performance.now() - began, 5_000);
    for (const { socket, received } of crowd) {
      await eventually(() => socket.resume().destroyed, { what: 'the connection to be ended' });
      expect(statuses(received()).length).toBeLessThan(100);
    }
  }
  expect(rig.backend.calls.length).toBeLessThan(100 * 100);
});

test('where there are too many, the oldest connection of a stranger gives way to who comes next', async () => {
  const rig = await startRig({ connections: { all: 3, perAddress: 3 } });
  const idle: Socket[] = [];
  for (let nth = 0; nth < 3; nth++) {
    const { socket } = open(rig);
    await new Promise(resolve => socket.once('connect', resolve));
    idle.push(socket);
  }
  expect(statuses(await raw(rig, get(PATH)))).toEqual([202]);
  await eventually(() => idle[0]!.destroyed, { what: 'the oldest to go' });
  expect(idle.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
});

test('a connection on which somebody showed a good key gives way to nobody', async () => {
  const rig = await startRig({ connections: { all: 3, perAddress: 3 } });
  const known = Array.from({ length: 3 }, () => open(rig));
  for (const { socket, received } of known) {
    socket.write(get(PATH, ['Connection: keep-alive']));
    await eventually(() => statuses(received()).length === 1, { what: 'the answer' });
  }
  expect(await raw(rig, get(PATH))).toBe('');
  for (const { socket, received } of known) {
    socket.write(get(PATH));
    await eventually(() => socket.destroyed, { what: 'the second answer' });
    expect(statuses(received())).toEqual([202, 202]);
  }
  await eventually(async () => statuses(await raw(rig, get(PATH)))[0] === 202, { what: 'room again' });
});

test('this machine may have more connections than other addresses', async () => {
  const rig = await startRig({ connections: { all: 100, perAddress: 1 } });
  for (let nth = 0; nth < 5; nth++) open(rig);
  expect(statuses(await raw(rig, get(PATH)))).toEqual([202]);
});

test.each([
  [null, 100_000, null],
  [1_048_576, 100_000, null],
  [65_536, 64_280, null],
  [1_024, 768, 'this process may open so few files that it takes 768 connections at most'],
  [200, 100, 'this process may open so few files that it takes 100 connections at most'],
])('with %s files: %i connections', (files, all, sentence) => {
  const limits = connectionLimits(files);
  expect(limits).toEqual({ all, perAddress: Math.min(Math.floor(all / 4), 1_000) });
  if (sentence === null) expect(connectionsSentence(limits)).toBe(null);
  else expect(connectionsSentence(limits)).toContain(sentence);
});
