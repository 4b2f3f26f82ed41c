import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Bus } from '../../services/changes/bus.ts';
import { createLocalBus } from '../../services/changes/local.ts';
import { connectNatsBus } from '../../services/changes/nats.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';

const log = pino({ level: 'silent' });
let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

/** Two ends of one bus: in one process they are the same. */
const adapters = [
  {
    name: 'in one process',
    async open(): Promise<[Bus, Bus]> {
      const bus = createLocalBus({ log });
      return [bus, bus];
    },
  },
  {
    name: 'over NATS',
    open: (): Promise<[Bus, Bus]> =>
      Promise.all([connectNatsBus({ servers: server.url, log }), connectNatsBus({ servers: server.url, log })]),
  },
];

describe.each(adapters)('the bus $name', ({ open }) => {
  let here: Bus;
  let there: Bus;
  beforeEach(async () => {
    [here, there] = await open();
  });
  afterEach(async () => {
    await Promise.all([here.close(), there.close()]);
  });

  /** Everything published here before has arrived there. */
  async function settle(): Promise<void> {
    const arrived = Promise.withResolvers<void>();
    const end = there.subscribe('test.settle', () => arrived.resolve());
    await there.flush();
    here.publish('test.settle');
    await arrived.promise;
    end();
  }

  /** Subscribes there; the list fills as messages come. */
  async function collect(subject: string): Promise<{ payload: unknown; subject: string }[]> {
    const received: { payload: unknown; subject: string }[] = [];
    there.subscribe(subject, (payload, on) => received.push({ payload, subject: on }));
    await there.flush();
    return received;
  }

  test('a message reaches the subscribers of its subject, and no others', async () => {
    const received = await collect('tocsin.work');
    const others = await collect('tocsin.change.a');
    here.publish('tocsin.work', { kind: 'state' });
    await settle();
    expect(received).toEqual([{ payload: { kind: 'state' }, subject: 'tocsin.work' }]);
    expect(others).toEqual([]);
  });

  test('a message reaches subscribers in its own process too', async () => {
    const received: unknown[] = [];
    there.subscribe('tocsin.work', payload => received.push(payload));
    await there.flush();
    there.publish('tocsin.work', 1);
    await there.flush();
    expect(received).toEqual([1]);
  });

  test('every subscriber of a subject gets every message once, in the order they were published', async () => {
    const first = await collect('tocsin.work');
    const second = await collect('tocsin.work');
    for (let n = 0; n < 500; n += 1) here.publish('tocsin.work', n);
    await settle();
    const inOrder = Array.from({ length: 500 }, (_, n) => n);
    expect(first.map(({ payload }) => payload)).toEqual(inOrder);
    expect(second.map(({ payload }) => payload)).toEqual(inOrder);
  });

  test('a last * takes any one token, and no two', async () => {
    const received = await collect('tocsin.change.*');
    for (const subject of ['tocsin.change.a', 'tocsin.change.b', 'tocsin.change.a.b', 'tocsin.change'])
      here.publish(subject);
    await settle();
    expect(received.map(({ subject }) => subject)).toEqual(['tocsin.change.a', 'tocsin.change.b']);
  });

  test.each([
    [undefined, undefined],
    [null, null],
    ['', ''],
    [0, 0],
    [
      { at: new Date(0), skipped: undefined, text: 'é\n"' },
      { at: '1970-01-01T00:00:00.000Z', text: 'é\n"' },
    ],
    [
      [1, undefined],
      [1, null],
    ],
  ])('the payload %j arrives as JSON makes it', async (payload, expected) => {
    const received = await collect('tocsin.work');
    here.publish('tocsin.work', payload);
    await settle();
    expect(received).toStrictEqual([{ payload: expected, subject: 'tocsin.work' }]);
  });

  test('a payload that changes after it was published arrives as it was', async () => {
    const received = await collect('tocsin.work');
    const payload = { kind: 'state' };
    here.publish('tocsin.work', payload);
    payload.kind = 'inventory';
    await settle();
    expect(received[0]?.payload).toEqual({ kind: 'state' });
  });

  test('publish returns before any subscriber runs', async () => {
    const events: string[] = [];
    there.subscribe('tocsin.work', () => events.push('received'));
    await there.flush();
    here.publish('tocsin.work');
    events.push('published');
    await settle();
    expect(events).toEqual(['published', 'received']);
  });

  test('a subscriber that throws keeps nobody from receiving, itself included', async () => {
    let failures = 0;
    there.subscribe('tocsin.work', () => {
      failures += 1;
      throw new Error('a fault in a subscriber');
    });
    const received = await collect('tocsin.work');
    here.publish('tocsin.work', 1);
    here.publish('tocsin.work', 2);
    await settle();
    expect(received.map(({ payload }) => payload)).toEqual([1, 2]);
    expect(failures).toBe(2);
  });

  test('an ended subscription receives nothing more, also what was already on its way; ending twice is fine', async () => {
    const kept = await collect('tocsin.work');
    const received: unknown[] = [];
    const end = there.subscribe('tocsin.work', payload => {
      received.push(payload);
      end();
      end();
    });
    await there.flush();
    here.publish('tocsin.work', 1);
    here.publish('tocsin.work', 2);
    await settle();
    expect(received).toEqual([1]);
    expect(kept).toHaveLength(2);
  });

  test('after the last subscription of a subject ended, a new one receives', async () => {
    const end = there.subscribe('tocsin.work', () => {});
    await there.flush();
    end();
    const received = await collect('tocsin.work');
    here.publish('tocsin.work', 1);
    await settle();
    expect(received).toHaveLength(1);
  });

  test('a subscription does not receive what was published before it', async () => {
    there.publish('tocsin.work', 'before');
    const received = await collect('tocsin.work');
    here.publish('tocsin.work', 'after');
    await settle();
    expect(received.map(({ payload }) => payload)).toEqual(['after']);
  });

  test('a payload without a JSON form is dropped and counted, and does not throw', async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    here.publish('tocsin.work', circle);
    here.publish('tocsin.work', 1n);
    expect(here.dropped).toBe(2);
  });

  test.each([
    '',
    'a b',
    'a\r\nPUB x 0',
    'a..b',
    '.a',
    'a.*',
    'a.>',
    '*',
  ])('publishing to %j, which is no subject, is dropped and counted', async subject => {
    const received = await collect('a.b');
    here.publish(subject, 1);
    await settle();
    expect(here.dropped).toBe(1);
    expect(received).toEqual([]);
  });

  test.each(['', 'a b', 'a\r\nSUB > 9', 'a.>', '*.b', 'a.*.b', 'a.b*'])('subscribing to %j throws', subject => {
    expect(() => there.subscribe(subject, () => {})).toThrow(/Cannot subscribe to/);
  });

  test('a closed bus drops and counts what is published, receives nothing, and may be closed again', async () => {
    const received = await collect('tocsin.work');
    expect(here.connected).toBe(true);
    await Promise.all([here.close(), there.close()]);
    await here.close();
    here.publish('tocsin.work', 1);
    there.subscribe('tocsin.work', () => {})();
    await expect(here.flush()).rejects.toThrow('The bus is closed.');
    expect(here.connected).toBe(false);
    expect(here.dropped).toBe(1);
    expect(received).toEqual([]);
  });
});
