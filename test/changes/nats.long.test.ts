import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { connect } from 'nats';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Bus } from '../../services/changes/bus.ts';
import { connectNatsBus, type NatsBusOptions } from '../../services/changes/nats.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { eventually, expectInTime } from '../support/wait.ts';

const log = pino({ level: 'silent' });
const closers: (() => Promise<void>)[] = [];
let server: NatsServer;

beforeEach(async () => {
  server = await start();
});
afterEach(async () => {
  while (closers.length > 0) await closers.pop()?.();
});

async function start(options?: { config: string }): Promise<NatsServer> {
  const started = await startNatsServer(options);
  closers.push(() => started.stop());
  return started;
}

async function open(options: Partial<NatsBusOptions> = {}): Promise<Bus> {
  const bus = await connectNatsBus({ servers: server.url, log, ...options });
  closers.push(() => bus.close());
  return bus;
}

/** Counts the sockets that this process opens from now on and that are not closed yet, whatever else closes meanwhile. */
function countSockets(): () => number {
  const opened = new Set<Socket>();
  const onOpen = (message: unknown) => void opened.add((message as { socket: Socket }).socket);
  subscribe('net.client.socket', onOpen);
  onTestFinished(() => void unsubscribe('net.client.socket', onOpen));
  return () => [...opened].filter(({ destroyed }) => !destroyed).length;
}

/** How many bytes this process holds more after `work`, as the system counts them. */
function growth(work: () => void): number {
  const before = process.memoryUsage.rss();
  work();
  return process.memoryUsage.rss() - before;
}

describe('a server that is killed', () => {
  test('costs dropped and counted messages, and no memory', async () => {
    const bus = await open();
    await server.kill();
    await eventually(() => !bus.connected, { what: 'the loss to be noticed' });
    const grown = growth(() => {
      for (let n = 0; n < 300_000; n += 1) bus.publish('tocsin.work', n);
    });
    expect(bus.dropped).toBe(300_000);
    expect(grown).toBeLessThan(40_000_000);
  });

  test('is used again once it is back: onReconnect tells it, and every subscription receives again, each once', async () => {
    const bus = await open();
    const received: string[] = [];
    let reconnects = 0;
    bus.onReconnect(() => {
      throw new Error('a fault in a callback');
    });
    bus.onReconnect(() => {
      reconnects += 1;
      bus.publish('tocsin.work', 'from onReconnect');
    });
    const endTold = bus.onReconnect(() => received.push('told after its end'));
    endTold();
    bus.subscribe('tocsin.work', payload => received.push(`before: ${payload}`));
    const endOld = bus.subscribe('tocsin.work', () => received.push('ended while down'));
    await bus.flush();

    await server.kill();
    await eventually(() => !bus.connected, { what: 'the loss to be noticed' });
    endOld();
    bus.subscribe('tocsin.work', payload => received.push(`while down: ${payload}`));
    bus.publish('tocsin.work', 'lost');
    await server.restart();
    await bus.flush();

    await eventually(() => received.length >= 2, { what: 'the message that onReconnect sent' });
    await bus.flush();
    expect(received).toEqual(['before: from onReconnect', 'while down: from onReconnect']);
    expect(reconnects).toBe(1);
    expect(bus.dropped).toBe(1);
    expect(bus.connected).toBe(true);
  });

  test('closes at once while it is away', async () => {
    const bus = await open();
    await server.kill();
    await eventually(() => !bus.connected, { what: 'the loss to be noticed' });
    const flushed = bus.flush();
    await bus.close();
    await expect(flushed).rejects.toThrow('The bus is closed.');
  });
});

describe('a server that hangs', () => {
  test('costs a bounded number of messages under way, then dropped and counted ones', async () => {
    const bus = await open();
    await bus.flush();
    server.freeze();
    const grown = growth(() => {
      for (let n = 0; n < 300_000; n += 1) bus.publish('tocsin.work', n);
    });
    expect(bus.dropped).toBe(280_000);
    expect(grown).toBeLessThan(40_000_000);
    server.thaw();
    await bus.flush();
    bus.publish('tocsin.work');
    expect(bus.dropped).toBe(280_000);
  });

  test('is given up, and once it is back every message arrives once, and the connection stays', async () => {
    const impatient = await start({ config: 'ping_interval: "1s"\nping_max: 1' });
    // So patient that a busy machine is no silence: the connection that is back would be lost to that as well.
    const openSockets = countSockets();
    const bus = await open({ servers: impatient.url, silenceMs: 1_000 });
    const received: unknown[] = [];
    let reconnects = 0;
    bus.onReconnect(() => {
      reconnects += 1;
    });
    bus.subscribe('tocsin.work', payload => received.push(payload));
    await bus.flush();
    const connected = openSockets();
    impatient.freeze();
    await eventually(() => openSockets() >= connected + 3, {
      what: 'several attempts that got no answer',
      within: 60_000,
    });
    impatient.thaw();
    await eventually(() => reconnects > 0, { what: 'the connection to be back', within: 60_000 });
    await eventually(() => openSockets() <= connected, { what: 'the server to end those attempts', within: 60_000 });
    bus.publish('tocsin.work', 'after');
    await bus.flush();
    expect(received).toEqual(['after']);
    expect(reconnects).toBe(1);
  }, 240_000);

  test('does not keep the bus from closing', async () => {
    const bus = await open();
    server.freeze();
    const started = Date.now();
    await bus.close();
    expectInTime(Date.now() - started, 6_000);
  });
});

describe('the first connection', () => {
  test('waits for a server that starts later', async () => {
    await server.kill();
    const opening = open();
    await server.restart();
    expect((await opening).connected).toBe(true);
  });

  test('fails with one sentence when nothing answers in time', async () => {
    await server.kill();
    await expect(open({ firstWithinMs: 500 })).rejects.toThrow(
      `Cannot reach NATS at 127.0.0.1:${server.port} (CONNECTION_REFUSED). Tried for 0.5 s. Check NATS_URL and that the server runs.`,
    );
  });

  test('fails with one sentence when something answers that never says it is NATS', async () => {
    server.freeze();
    await expect(open({ firstWithinMs: 500 })).rejects.toThrow(/^Cannot reach NATS at 127\.0\.0\.1:\d+ \(TIMEOUT\)\./);
  });

  test('tls:// to a server without TLS fails at once instead of going on in the clear', async () => {
    await expect(open({ servers: `tls://127.0.0.1:${server.port}` })).rejects.toThrow('speaks no TLS');
  });

  test.each([
    { config: 'authorization { user: alice, password: "p@ss:w/ord" }', credentials: 'alice:p%40ss%3Aw%2Ford' },
    { config: 'authorization { token: "t/o ken" }', credentials: 't%2Fo%20ken' },
  ])('sends the credentials in the address: $config', async ({ config, credentials }) => {
    const guarded = await start({ config });
    const bus = await open({ servers: `nats://${credentials}@127.0.0.1:${guarded.port}` });
    expect(bus.connected).toBe(true);
    const refused = open({ servers: `nats://alice:s3cret@127.0.0.1:${guarded.port}` });
    await expect(refused).rejects.toThrow(
      `NATS at 127.0.0.1:${guarded.port} refused the user, password or token. Check NATS_URL and the server.`,
    );
  });

  test.each([
    ['', 'NATS_URL names no server'],
    [' , ', 'NATS_URL names no server'],
    ['http://127.0.0.1:4222', '"http://127.0.0.1:4222", which is no NATS address'],
    ['nats://', '"nats://", which is no NATS address'],
    ['nats://127.0.0.1:99999', 'no NATS address'],
    ['nats://me:s3cret@ho st', '"nats://***@ho st", which is no NATS address'],
    ['nats://%zz:s3cret@host', '"nats://***@host", which is no NATS address'],
  ])('the address %j is refused with one sentence that holds no credentials', async (servers, sentence) => {
    const refusal = await open({ servers }).catch((err: Error) => err.message);
    expect(refusal).toContain(sentence);
    expect(refusal).not.toContain('s3cret');
  });
});

test('of several servers, any that answers is used, and another one when it is lost', async () => {
  const other = await start();
  await server.kill();
  const bus = await open({ servers: `${server.url}, ${other.url}` });
  await server.restart();
  await other.kill();
  await eventually(() => !bus.connected, { what: 'the loss to be noticed' });
  await bus.flush();
  expect(bus.connected).toBe(true);
});

test('a message that is not JSON is counted and reaches nobody; the next one does', async () => {
  const bus = await open();
  const received: unknown[] = [];
  bus.subscribe('tocsin.*', payload => received.push(payload));
  await bus.flush();
  const stranger = await connect({ servers: server.url });
  stranger.publish('tocsin.work', '{"kind":');
  stranger.publish('tocsin.work', new Uint8Array([0xff, 0x00]));
  stranger.publish('tocsin.work', '"good"');
  await stranger.flush();
  await stranger.close();
  await bus.flush();
  expect(received).toEqual(['good']);
  expect(bus.malformed).toBe(2);
});

test('a message larger than the server takes is dropped and counted, and the connection stays', async () => {
  const bus = await open();
  bus.publish('tocsin.work', 'x'.repeat(2_000_000));
  await bus.flush();
  expect(bus.dropped).toBe(1);
  expect(bus.connected).toBe(true);
});

test('what was published right before closing still arrives', async () => {
  const [sender, reader] = [await open(), await open()];
  let received = 0;
  reader.subscribe('tocsin.work', () => {
    received += 1;
  });
  await reader.flush();
  for (let n = 0; n < 100; n += 1) sender.publish('tocsin.work', n);
  await sender.close();
  await eventually(() => received === 100, { what: 'all 100 messages' });
});
