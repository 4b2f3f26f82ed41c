import { describe, expect, onTestFinished, test } from 'vitest';
import { subjects } from '../../services/changes/bus.ts';
import { newSecret } from '../../services/store/secret.ts';
import { figureOf } from '../support/figures.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { KEYS, startRig } from './rig.ts';

const { owner, second, outsider } = KEYS;
const CHANNEL = `/account/${owner.accountId}`;

describe('a key that ends', () => {
  test('closes its sockets at once on word of the bus, and no others', async () => {
    // Nobody asks about them meanwhile: only the word of the bus can close them.
    const rig = await startRig({ times: { recheck: 3_600_000 } });
    const [own, ownToo, sibling, stranger] = [
      await rig.listening(),
      await rig.open({ key: owner.secret }),
      await rig.listening(second),
      await rig.listening(outsider),
    ];
    rig.services.keys.delete(owner.secret);
    rig.bus.publish(subjects.keyRevoked(owner.keyId));
    for (const client of [own, ownToo]) {
      expect(await client.end()).toEqual({ code: 4401, reason: 'The API key is no longer valid.' });
    }
    rig.change('state');
    await sibling.told({ type: 'data' });
    await stranger.settled();
    expect(own.signals).toEqual([]);
    const again = await rig.open({ key: owner.secret });
    again.say({ type: 'connection_init' });
    await again.told({ type: 'connection_error' });
  });

  test('closes them also when only the next question about all of them tells', async () => {
    const rig = await startRig({ times: { recheck: 10 } });
    const [own, sibling] = [await rig.listening(), await rig.listening(second)];
    rig.services.keys.delete(owner.secret);
    expect((await own.end()).code).toBe(4401);
    await sibling.settled();
    expect(Math.max(...rig.services.rechecked)).toBe(2);
  });

  test('closes a socket that listens with it under another key', async () => {
    const rig = await startRig({ times: { recheck: 3_600_000 } });
    const client = await rig.open({ key: owner.secret });
    await client.subscribe('one', CHANNEL, second.secret);
    rig.services.keys.delete(second.secret);
    rig.bus.publish(subjects.keyRevoked(second.keyId));
    expect((await client.end()).code).toBe(4401);
  });

  test('closes a socket whose grant was under way when it ended', async () => {
    const rig = await startRig({ times: { recheck: 3_600_000 } });
    const client = await rig.listening(second);
    const arrival = Promise.withResolvers<void>();
    rig.services.underWay = arrival.promise;
    const asked = rig.services.asked.length;
    client.say({ type: 'subscribe', id: 'late', channel: CHANNEL, authorization: { Authorization: owner.secret } });
    await eventually(() => rig.services.asked.length > asked, { what: 'the question' });
    rig.services.keys.delete(owner.secret);
    rig.bus.publish(subjects.keyRevoked(owner.keyId));
    await rig.bus.flush();
    expect(rig.services.rechecked).toEqual([]);
    arrival.resolve();
    expect((await client.end()).code).toBe(4401);
  });

  test('of which only another secret ended leaves the sockets of this one', async () => {
    const rig = await startRig({ times: { recheck: 3_600_000 } });
    const rotated = { ...owner, secret: newSecret('toc') };
    rig.services.keys.set(rotated.secret, rotated);
    const [before, after] = [await rig.listening(), await rig.listening(rotated)];
    rig.services.keys.delete(owner.secret);
    rig.bus.publish(subjects.keyRevoked(owner.keyId));
    expect((await before.end()).code).toBe(4401);
    rig.change('state');
    await after.told({ type: 'data' });
  });

  test('closes them so that they come back when the services cannot say', async () => {
    const rig = await startRig({ times: { recheck: 3_600_000 } });
    const [own, sibling] = [await rig.listening(), await rig.listening(second)];
    rig.services.state = 'down';
    rig.bus.publish(subjects.keyRevoked(owner.keyId));
    expect(await own.end()).toEqual({ code: 1013, reason: 'Try again later.' });
    await sibling.settled();
  });
});

describe('services that cannot be reached', () => {
  test('never make a good key a bad one: sockets are closed with 1013, and those that are open stay', async () => {
    const rig = await startRig({ times: { recheck: 10 } });
    const open = await rig.listening();
    rig.services.state = 'down';
    const rechecks = rig.services.rechecked.length;
    const connecting = await rig.open({ key: second.secret });
    expect(await connecting.end()).toEqual({ code: 1013, reason: 'Try again later.' });
    expect(connecting.messages).toEqual([]);
    await eventually(() => rig.services.rechecked.length > rechecks + 1, { what: 'two questions about all sockets' });
    rig.change('state');
    await open.told({ type: 'data' });
    open.say({ type: 'subscribe', id: 'two', channel: CHANNEL, authorization: { Authorization: owner.secret } });
    expect((await open.end()).code).toBe(1013);
    expect(open.messages.some(({ type }) => type.endsWith('error'))).toBe(false);
  });
});

describe('limits', () => {
  test('of sockets of one key: the next is told so, can come back, and other keys notice nothing', async () => {
    const rig = await startRig({ limits: { socketsPerKey: 2 } });
    const [first] = [await rig.listening(), await rig.listening()];
    const third = await rig.open({ key: owner.secret });
    third.say({ type: 'connection_init' });
    expect((await third.end()).code).toBe(1013);
    expect(third.messages[0]).toMatchObject({
      type: 'connection_error',
      errors: [{ errorType: 'LimitExceededError' }],
    });
    const other = await rig.listening(second);
    other.say({ type: 'subscribe', id: 'sly', channel: CHANNEL, authorization: { Authorization: owner.secret } });
    const refused = await other.told({ type: 'subscribe_error', id: 'sly' });
    expect(refused.errors?.[0]?.errorType).toBe('LimitExceededError');
    first!.ws.close();
    await first!.end();
    await eventually(
      async () => {
        const client = await rig.open({ key: owner.secret });
        client.say({ type: 'connection_init' });
        return (await eventually(() => client.messages[0], { what: 'a word' })).type === 'connection_ack';
      },
      { what: 'a free place' },
    );
  });

  test('of sockets of one account: a further key of its own does not help it, and other accounts notice nothing', async () => {
    const rig = await startRig({ limits: { socketsPerAccount: 2 } });
    const [first] = [await rig.listening(owner), await rig.listening(second)];
    const third = await rig.open({ key: KEYS.alarmA.secret });
    third.say({ type: 'connection_init' });
    expect((await third.end()).code).toBe(1013);
    expect(third.messages[0]).toMatchObject({ errors: [{ errorType: 'LimitExceededError' }] });
    await rig.listening(outsider);
    first.ws.close();
    await first.end();
    await eventually(
      () =>
        rig.listening(KEYS.alarmA).then(
          () => true,
          () => false,
        ),
      { what: 'a free place' },
    );
  });

  test.each([
    ['one address', { socketsPerAddress: 1 }, 429],
    ['all', { sockets: 1 }, 503],
  ])('of sockets of %s, before any question to the services', async (_, limits, status) => {
    const rig = await startRig({ limits });
    const first = await rig.listening();
    const asked = rig.services.asked.length;
    const next = await rig.open({ key: second.secret });
    expect(next.refused).toMatchObject({ status, headers: { 'retry-after': '30', connection: 'close' } });
    expect(rig.services.asked).toHaveLength(asked);
    first.ws.close();
    await eventually(async () => (await rig.open({ key: second.secret })).refused === null, { what: 'a free place' });
  });

  test('of an address behind a proxy count for that address', async () => {
    const rig = await startRig({ limits: { socketsPerAddress: 1 }, config: { trustedProxies: ['127.0.0.1'] } });
    const from = (address: string) => rig.open({ key: owner.secret, headers: { 'x-forwarded-for': address } });
    expect((await from('198.51.100.1')).refused).toBe(null);
    expect((await from('198.51.100.2')).refused).toBe(null);
    expect((await from('198.51.100.1')).refused?.status).toBe(429);
  });

  test('of subscriptions of one socket', async () => {
    const rig = await startRig();
    const client = await rig.open({ key: owner.secret });
    for (let n = 0; n < 10; n += 1) await client.subscribe(`s${n}`, CHANNEL, owner.secret);
    client.say({ type: 'subscribe', id: 'more', channel: CHANNEL, authorization: { Authorization: owner.secret } });
    const refused = await client.told({ type: 'subscribe_error', id: 'more' });
    expect(refused.errors?.[0]?.errorType).toBe('MaxSubscriptionsReachedError');
    client.say({ type: 'unsubscribe', id: 's0' });
    await client.subscribe('more', CHANNEL, owner.secret);
  });

  test('of a reader that does not read: it is dropped, and others notice nothing', async () => {
    const rig = await startRig({ limits: { unsentBytes: 16 * 1024 }, times: { coalesce: 0 } });
    const [slow, other] = [await rig.listening(), await rig.listening(second)];
    for (let n = 1; n < 10; n += 1) await slow.subscribe(`${n}`.repeat(128), CHANNEL, owner.secret);
    slow.ws.pause();
    const dropped = () => figureOf(rig.url, 'tocsin_realtime_sockets_ended_total{cause="slow"}');
    const before = await dropped();
    const changes = setInterval(() => {
      for (const kind of ['state', 'inventory']) rig.change(kind);
    }, 1);
    onTestFinished(() => clearInterval(changes));
    await eventually(async () => (await dropped()) > before, { what: 'the end of the slow reader', within: 50_000 });
    clearInterval(changes);
    await other.settled();
    const heard = other.signals.length;
    rig.change('inventory');
    await eventually(() => other.signals.length > heard, { what: 'a signal for the other' });
    expect(other.closed).toBe(null);
  });
});

describe('keep-alives', () => {
  test('come to every socket, with a ping, for as long as it answers', async () => {
    const rig = await startRig({ times: { keepAlive: 60 } });
    const client = await rig.open({ key: owner.secret });
    await eventually(() => client.pings >= 5, { what: 'five pings' });
    expect(client.messages.filter(({ type }) => type === 'ka').length).toBeGreaterThanOrEqual(5);
    expect(client.closed).toBe(null);
  });

  test('without two pongs in a row the socket is cut off', async () => {
    const rig = await startRig({ times: { keepAlive: 60 } });
    const client = await rig.open({ key: owner.secret });
    client.ws.pong = () => {};
    Object.assign(client.ws, { _autoPong: false });
    expect((await client.end()).code).toBe(1006);
    expect(client.pings).toBe(2);
  });

  test('a socket that has become old is closed so that it connects anew', async () => {
    const rig = await startRig({ times: { keepAlive: 60, age: 1 } });
    const client = await rig.open({ key: owner.secret });
    expect((await client.end()).code).toBe(1012);
  });
});

describe('the end of the facade', () => {
  test('closes every socket with 1012, one after the other, within its own time', async () => {
    const rig = await startRig({ limits: { socketsPerKey: 100 }, times: { spread: 400, spreadEach: 10 } });
    const clients = await Promise.all(Array.from({ length: 40 }, () => rig.listening()));
    const endedAt: number[] = [];
    for (const { ws } of clients) ws.on('close', () => endedAt.push(performance.now()));
    const started = performance.now();
    await rig.facade.close();
    expectInTime(performance.now() - started, 4_000);
    await eventually(() => endedAt.length === 40, { what: 'all ends' });
    expect(new Set(clients.map(({ closed }) => closed?.code))).toEqual(new Set([1012]));
    expect(Math.max(...endedAt) - Math.min(...endedAt)).toBeGreaterThan(200);
    expect(rig.bus.heard).toEqual([]);
  });

  test('does not wait for a client that never answers', async () => {
    const rig = await startRig({ times: { end: 50 } });
    const client = await rig.listening();
    client.ws.pause();
    const started = performance.now();
    await rig.facade.close();
    expectInTime(performance.now() - started, 2_000);
  });
});
