import { describe, expect, test } from 'vitest';
import { keyIn, keyInHeaders } from '../../facade/realtime/credentials.ts';
import { KEEP_ALIVE_AND_PING, signalFrame, textFrame } from '../../facade/realtime/frames.ts';
import { readHandshake } from '../../facade/realtime/handshake.ts';
import { readChannel, stepOn } from '../../facade/realtime/session.ts';
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
