import { describe, expect, test, vi } from 'vitest';
import { keyIn, keyInHeaders } from '../../facade/realtime/credentials.ts';
import { KEEP_ALIVE_AND_PING, signalFrame, textFrame } from '../../facade/realtime/frames.ts';
import { readHandshake } from '../../facade/realtime/handshake.ts';
import { Coalescer } from '../../facade/realtime/hub.ts';
import { readChannel, stepOn } from '../../facade/realtime/session.ts';
import { spread } from '../../facade/realtime/spread.ts';
import { Wheel } from '../../facade/realtime/wheel.ts';
import { spend } from '../../services/process/allowance.ts';
import { holderOf, SUBPROTOCOL } from './client.ts';

const FIFTY = 'a'.repeat(50);

test.each([
  ['/account/abc', '/account/abc'],
  ['account/abc', '/account/abc'],
  ['/account/abc/', '/account/abc'],
  ['a', '/a'],
  ['/a-b/C9', '/a-b/C9'],
  [`/${FIFTY}`, `/${FIFTY}`],
  ['/1/2/3/4/5', '/1/2/3/4/5'],
  ['/1/2/3/4/*', '/1/2/3/4/*'],
  ['*', '/*'],
  ['/*/', '/*'],
  ['', null],
  ['/', null],
  ['//', null],
  ['/a//b', null],
  [`/${FIFTY}a`, null],
  ['/1/2/3/4/5/6', null],
  ['/-a', null],
  ['/a-', null],
  ['/a_b', null],
  ['/a.b', null],
  ['/a b', null],
  ['/a\n', null],
  ['/é', null],
  ['/a/*/b', null],
  ['/a*', null],
  ['/**', null],
  ['/a/../b', null],
  ['tocsin.change.>', null],
  [`/${'a/'.repeat(5_000)}`, null],
  [null, null],
  [undefined, null],
  [5, null],
  [['/a'], null],
])('the channel %j is read as %j', (text, channel) => {
  expect(readChannel(text)).toBe(channel);
});

test.each([
  [{ Authorization: 'k' }, 'k'],
  [{ AUTHORIZATION: ' Bearer  k ' }, 'k'],
  [{ 'X-Api-Key': 'bearer k' }, 'k'],
  [{ 'x-api-key': 'second', authorization: 'first' }, 'first'],
  [{ 'x-api-key': 'second', authorization: '' }, 'second'],
  [{ authorization: 'Bearer' }, 'Bearer'],
  [{ authorization: 'Bearer ' }, 'Bearer'],
  [{ authorization: ['k'] }, null],
  [{ host: 'k' }, null],
  [{}, null],
  [null, null],
  ['k', null],
  [[], null],
])('an authorization of %j shows the key %j', (authorization, key) => {
  expect(keyIn(authorization)).toBe(key);
});

test('of the plain headers x-api-key comes first: a proxy may have put its own Authorization there', () => {
  expect(keyInHeaders({ authorization: 'Basic eA==', 'x-api-key': 'k' })).toBe('k');
  expect(keyInHeaders({ authorization: 'Bearer k' })).toBe('k');
  expect(keyInHeaders({})).toBe(null);
});

describe('an upgrade', () => {
  const GOOD = {
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-protocol': SUBPROTOCOL,
  };
  const holder = holderOf({ Authorization: 'k' });

  test.each([
    [{}, null],
    [{ 'x-api-key': 'k' }, 'k'],
    [{ 'sec-websocket-protocol': `${SUBPROTOCOL}, ${holder}` }, 'k'],
    [{ 'sec-websocket-protocol': `${holder},${SUBPROTOCOL}` }, 'k'],
    [{ 'sec-websocket-protocol': `${holder},${SUBPROTOCOL}`, 'x-api-key': 'other' }, 'k'],
    [{ 'sec-websocket-protocol': `${holderOf({ host: 'h' })},${SUBPROTOCOL}`, 'x-api-key': 'other' }, 'other'],
  ])('with %j shows the key %j', (headers, key) => {
    expect(readHandshake({ ...GOOD, ...headers })).toEqual({ kind: 'asked', key });
  });

  test.each([
    [{ 'sec-websocket-version': '12' }, 426],
    [{ 'sec-websocket-version': undefined }, 426],
    [{ 'sec-websocket-key': 'short' }, 400],
    [{ 'sec-websocket-key': undefined }, 400],
    [{ 'sec-websocket-protocol': undefined }, 400],
    [{ 'sec-websocket-protocol': 'graphql-ws' }, 400],
    [{ 'sec-websocket-protocol': holder }, 400],
    [{ 'sec-websocket-protocol': `${SUBPROTOCOL},header-` }, 400],
    [{ 'sec-websocket-protocol': `${SUBPROTOCOL},header-!!!` }, 400],
    [{ 'sec-websocket-protocol': `${SUBPROTOCOL},${holder}=` }, 400],
    [{ 'sec-websocket-protocol': `${SUBPROTOCOL},${holderOf('k')}` }, 400],
    [{ 'sec-websocket-protocol': `${SUBPROTOCOL},${holderOf(null)}` }, 400],
    [{ 'sec-websocket-protocol': `${SUBPROTOCOL},${holderOf(['k'])}` }, 400],
    [{ 'sec-websocket-protocol': `${SUBPROTOCOL},header-${Buffer.from('{').toString('base64url')}` }, 400],
    [{ 'sec-websocket-protocol': `${SUBPROTOCOL},${holder},${holderOf({ Authorization: 'j' })}` }, 400],
  ])('with %j is malformed: %i', (headers, status) => {
    const handshake = readHandshake({ ...GOOD, ...headers });
    expect(handshake).toMatchObject({ kind: 'malformed', status });
    expect(JSON.stringify(handshake)).not.toContain(holder);
  });
});

describe('a message', () => {
  const key = { Authorization: 'k' };
  const step = (message: unknown, has: string[] = ['used']) =>
    stepOn(typeof message === 'string' ? message : JSON.stringify(message), {
      subscriptions: new Set(has),
      mostSubscriptions: 2,
    });
  const told = (message: unknown, has?: string[]) => {
    const { kind, text } = step(message, has) as { kind: string; text: string };
    const { type, id, errors } = JSON.parse(text);
    return [kind, type, id, errors[0].errorType];
  };

  test.each([
    [{ type: 'connection_init' }, { kind: 'greet' }],
    [{ type: 'connection_init', payload: { more: [] } }, { kind: 'greet' }],
    [
      { type: 'subscribe', id: 'a', channel: 'c/d/', authorization: key, payload: { channel: 'x' } },
      { kind: 'authorize', id: 'a', channel: '/c/d', key: 'k' },
    ],
    [
      { type: 'unsubscribe', id: 'used' },
      { kind: 'leave', id: 'used', text: '{"type":"unsubscribe_success","id":"used"}' },
    ],
  ])('%j leads to %j', (message, expected) => {
    expect(step(message)).toEqual(expected);
  });

  test.each([
    ['', 'error', undefined, 'UnsupportedOperation'],
    ['{', 'error', undefined, 'UnsupportedOperation'],
    ['null', 'error', undefined, 'UnsupportedOperation'],
    ['[]', 'error', undefined, 'UnsupportedOperation'],
    ['"subscribe"', 'error', undefined, 'UnsupportedOperation'],
    ['{}', 'error', undefined, 'UnsupportedOperation'],
    ['{"type":"__proto__"}', 'error', undefined, 'UnsupportedOperation'],
    [{ type: 'ka' }, 'error', undefined, 'UnsupportedOperation'],
    [{ type: 'start', id: 'a' }, 'error', 'a', 'UnsupportedOperation'],
    [{ type: ['subscribe'], id: 'a' }, 'error', 'a', 'UnsupportedOperation'],
    [{ type: 'subscribe' }, 'error', undefined, 'BadRequestException'],
    [{ type: 'subscribe', id: '' }, 'error', undefined, 'BadRequestException'],
    [{ type: 'subscribe', id: 5 }, 'error', undefined, 'BadRequestException'],
    [{ type: 'subscribe', id: 'a b' }, 'error', undefined, 'BadRequestException'],
    [{ type: 'subscribe', id: 'é' }, 'error', undefined, 'BadRequestException'],
    [{ type: 'subscribe', id: 'a\n' }, 'error', undefined, 'BadRequestException'],
    [{ type: 'subscribe', id: 'a'.repeat(129) }, 'error', undefined, 'BadRequestException'],
    [{ type: 'subscribe', id: 'a'.repeat(128) }, 'subscribe_error', 'a'.repeat(128), 'BadRequestException'],
    [
      { type: 'subscribe', id: 'used', channel: 'c', authorization: key },
      'subscribe_error',
      'used',
      'DuplicatedOperationError',
    ],
    [
      { type: 'subscribe', id: 'a', channel: '/a_b', authorization: key },
      'subscribe_error',
      'a',
      'BadRequestException',
    ],
    [{ type: 'subscribe', id: 'a', channel: 'c' }, 'subscribe_error', 'a', 'UnauthorizedException'],
    [
      { type: 'subscribe', id: 'a', channel: 'c/*', authorization: key },
      'subscribe_error',
      'a',
      'UnauthorizedException',
    ],
    [{ type: 'unsubscribe', id: 'a' }, 'unsubscribe_error', 'a', 'UnknownOperationError'],
    [{ type: 'unsubscribe', id: {} }, 'error', undefined, 'BadRequestException'],
    [{ type: 'publish', id: 'a', channel: 'c', events: ['{}'] }, 'publish_error', 'a', 'UnauthorizedException'],
    [{ type: 'publish' }, 'publish_error', undefined, 'UnauthorizedException'],
  ])('%j is answered with %s, %s, %s', (message, type, id, errorType) => {
    expect(told(message)).toEqual(['answer', type, id, errorType]);
  });

  test('one subscription too many is refused, those that are still asked for included', () => {
    const one = { type: 'subscribe', id: 'a', channel: 'c', authorization: key };
    expect(told(one, ['x', 'y'])).toEqual(['answer', 'subscribe_error', 'a', 'MaxSubscriptionsReachedError']);
  });
});

describe('frames', () => {
  test('a short one and a longer one, as RFC 6455 has them', () => {
    expect(textFrame('Hello').toString('hex')).toBe('810548656c6c6f');
    const long = textFrame('x'.repeat(200));
    expect([...long.subarray(0, 4)]).toEqual([0x81, 126, 0, 200]);
    expect(long).toHaveLength(204);
    expect(() => textFrame('x'.repeat(65_536))).toThrow(RangeError);
    expect(KEEP_ALIVE_AND_PING.subarray(-2).toString('hex')).toBe('8900');
  });

  test('a signal is type, id and event, and the event is text', () => {
    const text = signalFrame('s', 'inventory').subarray(2).toString();
    expect(text).toBe('{"type":"data","id":"s","event":"{\\"v\\":\\"1\\",\\"kind\\":\\"inventory\\"}"}');
  });
});

test('an allowance is spent, and grows back to what it was and no further', () => {
  const allowance = { left: 2, countedAt: 0 };
  const rate = { burst: 2, perSecond: 10 };
  const at = (now: number) => spend(allowance, now, rate);
  expect([at(0), at(0), at(0), at(99)]).toEqual(['within', 'within', 'over', 'over']);
  expect([at(100), at(100)]).toEqual(['within', 'over']);
  expect([at(60_000), at(60_000), at(60_000)]).toEqual(['within', 'within', 'over']);
});

describe('with the time in hand', () => {
  test('the first signal goes at once, then one in every window while there are more', () => {
    vi.useFakeTimers();
    const sent: [number, string[]][] = [];
    const start = Date.now();
    const coalescer = new Coalescer(250, alarms => sent.push([Date.now() - start, [...alarms].sort()]));
    coalescer.signal('a');
    for (let n = 0; n < 50; n += 1) {
      coalescer.signal(n % 2 === 0 ? 'b' : '');
      vi.advanceTimersByTime(10);
    }
    vi.advanceTimersByTime(10_000);
    coalescer.signal('c');
    expect(sent).toEqual([
      [0, ['a']],
      [250, ['', 'b']],
      [500, ['', 'b']],
      [10_500, ['c']],
    ]);
    coalescer.signal('d');
    coalescer.stop();
    vi.advanceTimersByTime(10_000);
    expect(sent).toHaveLength(4);
    vi.useRealTimers();
  });

  test('what is spread is done once each, in order, within the time; few at once; and can be stopped', () => {
    vi.useFakeTimers();
    const run = (count: number) => {
      const done: [number, number][] = [];
      const start = Date.now();
      const items = Array.from({ length: count }, (_, n) => n);
      const stop = spread(items, { mostMs: 1_000, eachMs: 2 }, item => done.push([Date.now() - start, item]));
      return { done, stop };
    };
    expect(run(0).done).toEqual([]);
    expect(run(3).done).toEqual([
      [0, 0],
      [0, 1],
      [0, 2],
    ]);
    const many = run(5_000);
    expect(many.done.length).toBe(250);
    vi.advanceTimersByTime(1_000);
    expect(many.done.map(([, item]) => item)).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
    expect(new Set(many.done.map(([at]) => at)).size).toBe(20);
    const stopped = run(5_000);
    stopped.stop();
    vi.advanceTimersByTime(1_000);
    expect(stopped.done).toHaveLength(250);
    vi.useRealTimers();
  });

  test('the wheel visits each once in every period, not all together, and no more once removed', () => {
    vi.useFakeTimers();
    const visits: string[] = [];
    let together = 0;
    const wheel = new Wheel<string>(30_000, item => visits.push(item));
    const names = Array.from({ length: 60 }, (_, n) => `peer ${n}`);
    const slots = names.map(name => wheel.add(name));
    for (let second = 0; second < 30; second += 1) {
      const before = visits.length;
      vi.advanceTimersByTime(1_000);
      together = Math.max(together, visits.length - before);
    }
    expect(visits.toSorted()).toEqual(names.toSorted());
    expect(together).toBe(2);
    wheel.remove('peer 7', slots[7]!);
    wheel.remove('peer 8', -1);
    vi.advanceTimersByTime(30_000);
    expect(visits.filter(name => name === 'peer 7')).toHaveLength(1);
    expect(visits.filter(name => name === 'peer 8')).toHaveLength(2);
    wheel.stop();
    vi.advanceTimersByTime(30_000);
    expect(visits).toHaveLength(119);
    vi.useRealTimers();
  });
});
