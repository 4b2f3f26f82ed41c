import { connect as connectHttp2, constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { register } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { ConfigurationService } from '../../gen/tocsin/console/v1/configuration_pb.ts';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { newOwner, refusal } from '../support/console.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World, type WorldOptions } from '../support/world.ts';

/* DECISIONS.md "RPC port": what strangers and one account may take of it, with a neighbour who must not notice. */

const APPLY = `/${ConfigurationService.typeName}/Apply`;

/** A world, and an account in it that is known and calls over the RPC port. */
async function aNeighbour(options: WorldOptions = {}) {
  const world = await startWorld(options);
  const owner = await world.account();
  const [alarmId, key] = [await owner.alarm(), await owner.key()];
  const headers = { 'x-api-key': key };
  return {
    world,
    key,
    /** Triggers over gRPC and over HTTP/1.1, on connections of their own, and sees that both are applied. */
    async triggers() {
      for (const open of [createGrpcTransport, httpTransport]) {
        const alarms = createClient(AlarmService, open({ baseUrl: world.rpcUrl }));
        expect(await alarms.trigger({ alarmId }, { headers })).toMatchObject({ environment: 'live' });
      }
      await world.settle();
      expect((await owner.incidents())[0]).toMatchObject({ status: 'open', sourceId: alarmId });
    },
  };
}

function httpTransport({ baseUrl }: { baseUrl: string }) {
  return createConnectTransport({ baseUrl, httpVersion: '1.1' });
}

/** A connection to the RPC port that says this and nothing more; it is destroyed with the test. */
async function saying(
  { rpcUrl }: World,
  bytes: string,
): Promise<{ socket: Socket; received(): string; closed: Promise<void> }> {
  const { hostname, port } = new URL(rpcUrl);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let text = '';
  socket.setEncoding('latin1').on('data', chunk => (text += chunk));
  socket.on('error', () => {});
  const closed = new Promise<void>(resolve => {
    socket.once('close', () => resolve());
    socket.once('end', () => resolve());
  });
  onTestFinished(() => void socket.destroy());
  await new Promise<void>(resolve => {
    socket.once('connect', resolve);
    socket.once('close', () => resolve());
  });
  if (bytes !== '') socket.write(bytes);
  return { socket, received: () => text, closed };
}

async function openConnections(): Promise<number> {
  const metric = register.getSingleMetric('tocsin_rpc_connections')!;
  return (await metric.get()).values[0]?.value ?? 0;
}

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

test('an account sends four configurations at once, a fifth waits for one of them, and other accounts are free', async () => {
  const { world, triggers } = await aNeighbour();
  const [one, another] = [await newOwner(world), await newOwner(world)];
  const head = `POST ${APPLY} HTTP/1.1\r\nHost: x\r\nContent-Type: application/connect+proto\r\nAuthorization: Bearer ${one.token}\r\nContent-Length: 9\r\n\r\n`;
  const held = await Promise.all(Array.from({ length: 4 }, () => saying(world, head)));
  const check = (owner: typeof one) =>
    refusal(owner.console.configuration.check({ text: 'version: 1' })).catch(() => 'answered');
  // By then the four have come.
  for (let nth = 0; nth < 10; nth++) expect(await check(another)).toBe('answered');
  let fifth = 'waits';
  const checked = check(one).then(() => {
    fifth = 'answered';
  });
  for (let nth = 0; nth < 10; nth++) expect(await check(another)).toBe('answered');
  await triggers();
  expect(fifth).toBe('waits');
  held[0]!.socket.destroy();
  await checked;
});

test('a key has twenty streams open at once; one more is refused, until one ends; another key has its own', async () => {
  const { world, key, triggers } = await aNeighbour();
  const client = createClient(InventoryService, createGrpcTransport({ baseUrl: world.rpcUrl }));
  const watch = async (secret: string) => {
    const gone = new AbortController();
    onTestFinished(() => gone.abort());
    const options = { headers: { 'x-api-key': secret }, signal: gone.signal };
    await client.watchChanges({}, options)[Symbol.asyncIterator]().next();
    return gone;
  };
  const open = await Promise.all(Array.from({ length: 20 }, () => watch(key)));
  expect(await refusal(watch(key))).toMatchObject({
    code: 'ResourceExhausted',
    message: expect.stringContaining('20 streams open at once'),
  });
  await watch(await (await world.account()).key());
  await triggers();
  open[0]!.abort();
  await eventually(
    () =>
      watch(key).then(
        () => true,
        () => false,
      ),
    { what: 'a place for another stream' },
  );
});

test('an account has a hundred streams open at once, with however many keys; another account has its own', async () => {
  const { world, key, triggers } = await aNeighbour();
  const owner = await world.account();
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  // On a connection for each key: one takes no more than a hundred streams anyway.
  const watching = (secret: string) => {
    const client = createClient(InventoryService, createGrpcTransport({ baseUrl: world.rpcUrl }));
    const options = { headers: { 'x-api-key': secret }, signal: gone.signal };
    return () => client.watchChanges({}, options)[Symbol.asyncIterator]().next();
  };
  for (let nth = 0; nth < 5; nth++) {
    const watch = watching(await owner.key());
    await Promise.all(Array.from({ length: 20 }, watch));
  }
  expect(await refusal(watching(await owner.key())())).toMatchObject({
    code: 'ResourceExhausted',
    message: expect.stringContaining('an account 100'),
  });
  await watching(key)();
  await triggers();
});
