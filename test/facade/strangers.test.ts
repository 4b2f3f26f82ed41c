import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { figureOf } from '../support/figures.ts';
import { ownAddress } from '../support/own-address.ts';
import { eventually } from '../support/wait.ts';
import { ALARM, ask, get, PANIC, type Rig, startRig, statuses } from './rig.ts';

/* Limits by address, for callers who do not come from this machine. */

const PATH = `/v1/alarm/${ALARM}/trigger`;
const REFUSED = 'tocsin_http_connections_refused_total{limit="address"}';
const SLOWLY = 'tocsin_bad_credentials_total{door="http",answered="slowly"}';

/** A connection from an address of this machine to that address; it ends with the test. */
async function from(address: string, { port }: Rig) {
  const socket = connect({ host: address, port });
  let text = '';
  socket.setEncoding('latin1').on('data', chunk => (text += chunk));
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await new Promise(resolve => socket.once('connect', resolve));
  return { socket, received: () => text };
}

const closed = (socket: Socket) => new Promise(resolve => socket.once('close', resolve));

test('an address of the network has its share of the connections, this machine and others theirs, and the metrics tell', async () => {
  const rig = await startRig({ config: { host: '0.0.0.0' }, connections: { all: 100, perAddress: 5 } });
  const address = ownAddress();
  const before = await figureOf(rig.url, REFUSED);
  const held = await Promise.all(Array.from({ length: 5 }, () => from(address, rig)));
  const more = await from(address, rig);
  more.socket.write(get(PATH));
  await closed(more.socket);
  expect(more.received()).toBe('');
  expect(await figureOf(rig.url, REFUSED)).toBe(before + 1);
  expect((await ask(rig, PATH)).status).toBe(202);

  // What it holds serves it still, and what it gives back it may have again.
  const [first, second] = held;
  first!.socket.write(get(PATH));
  await closed(first!.socket);
  expect(statuses(first!.received())).toEqual([202]);
  second!.socket.destroy();
  await eventually(
    async () => {
      const again = await from(address, rig);
      again.socket.write(get(PATH));
      await closed(again.socket);
      return statuses(again.received())[0] === 202;
    },
    { what: 'room again' },
  );
});

test('who holds a network of IPv6 has one share for all its addresses', async () => {
  const rig = await startRig({ config: { trustedProxies: ['127.0.0.1'] } });
  const before = await figureOf(rig.url, SLOWLY);
  const asked = Array.from({ length: 150 }, (_, n) => badKeyFrom(rig, `2001:db8::${n.toString(16)}:${n.toString(16)}`));
  await eventually(async () => (await figureOf(rig.url, SLOWLY)) > before, { what: 'the later ones to wait' });
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(150).fill(401));
  expect(await figureOf(rig.url, SLOWLY)).toBeLessThanOrEqual(before + 50);
});

/** A call with a key that is none, as a proxy passes it on. */
function badKeyFrom(rig: Rig, address: string) {
  return ask(rig, PATH, { headers: { 'x-api-key': 'none', 'x-forwarded-for': address } });
}

test('behind a trusted proxy each address is told apart: who tries keys waits, a good key from there and others do not', async () => {
  const rig = await startRig({ config: { trustedProxies: ['127.0.0.1'] } });
  const before = await figureOf(rig.url, SLOWLY);
  let answered = 0;
  const asked = Array.from({ length: 300 }, () => badKeyFrom(rig, '203.0.113.9').then(() => answered++));
  await eventually(async () => (await figureOf(rig.url, SLOWLY)) > before, { what: 'the later ones to wait' });
  expect((await ask(rig, PATH, { headers: { 'x-forwarded-for': '203.0.113.9' } })).status).toBe(202);
  expect((await badKeyFrom(rig, '203.0.113.10')).status).toBe(401);
  // All this while some of them waited for their second.
  expect(answered).toBeLessThan(300);
  await Promise.all(asked);
});

test('who is no proxy of ours is believed nothing about addresses', async () => {
  const rig = await startRig();
  const before = await figureOf(rig.url, SLOWLY);
  const asked = Array.from({ length: 150 }, (_, n) => badKeyFrom(rig, `203.0.113.${n}`));
  await eventually(async () => (await figureOf(rig.url, SLOWLY)) > before, { what: 'the later ones to wait' });
  await Promise.all(asked);
});

test('pages of the documentation: an address gets so many a second, and nobody else waits for what it asked', async () => {
  const rig = await startRig({ config: { trustedProxies: ['127.0.0.1'] } });
  const page = (address: string, path = '/docs/arming') => ask(rig, path, { headers: { 'x-forwarded-for': address } });
  const paths = ['/docs/arming', '/docs/search?q=alarm'];
  const asking = Promise.all(Array.from({ length: 400 }, (_, n) => page('192.0.2.7', paths[n % 2])));
  expect((await page('192.0.2.8')).status).toBe(200);
  // Whoever has a good key is no stranger, wherever the call comes from.
  expect((await ask(rig, PATH, { headers: { 'x-forwarded-for': '192.0.2.7' } })).status).toBe(202);
  const answers = await asking;
  const [served, over] = [200, 429].map(status => answers.filter(one => one.status === status));
  expect(served!.length + over!.length).toBe(400);
  expect(served!.length).toBeGreaterThanOrEqual(130);
  const [first] = over!;
  expect(first!.headers['retry-after']).toBe('1');
  expect(first!.body).toContain('Your address asks for more pages than 10 a second');
});

test('a panic button that is pressed without end: each press acts at once, and only the answers come later', async () => {
  const rig = await startRig();
  const presses = 400;
  const asked = Array.from({ length: presses }, () => ask(rig, `/v1/panic/${PANIC}/trigger`));
  let answered = 0;
  for (const one of asked) void one.then(() => answered++);
  await eventually(() => rig.backend.acted.length === presses, { what: 'every press to act' });
  expect(answered).toBeLessThan(presses);
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(presses).fill(202));
});
