import { expect, test } from 'vitest';
import { handshake, hear } from '../../facade/sdk/messages.ts';

/* What the other side may say (REALTIME.md 2), and what is made of it. */

const signal = (event: unknown) => JSON.stringify({ type: 'data', id: 'watch', event });

test.each([
  ['{"type":"connection_ack","connectionTimeoutMs":120000}', { kind: 'greeted', silenceMs: 120_000 }],
  ['{"type":"connection_ack"}', { kind: 'greeted', silenceMs: 300_000 }],
  ['{"type":"connection_ack","connectionTimeoutMs":0}', { kind: 'greeted', silenceMs: 300_000 }],
  ['{"type":"connection_ack","connectionTimeoutMs":"soon"}', { kind: 'greeted', silenceMs: 300_000 }],
  ['{"type":"subscribe_success","id":"watch"}', { kind: 'subscribed' }],
  [signal('{"v":"1","kind":"state"}'), { kind: 'signal', what: 'state' }],
  [signal('{"v":"1","kind":"inventory","more":1}'), { kind: 'signal', what: 'inventory' }],
  [signal('{"v":"2","kind":"weather"}'), { kind: 'signal', what: 'anything' }],
  [signal('no JSON'), { kind: 'signal', what: 'anything' }],
  [signal(['{"kind":"state"}']), { kind: 'signal', what: 'anything' }],
  [
    '{"type":"connection_error","errors":[{"errorType":"UnauthorizedException","message":"No."}]}',
    { kind: 'refused', message: 'UnauthorizedException: No.' },
  ],
  ['{"type":"subscribe_error","id":"watch","errors":[]}', { kind: 'refused', message: 'no reason given' }],
  ['{"type":"error"}', { kind: 'refused', message: 'no reason given' }],
  ['{"type":"error","errors":[null]}', { kind: 'refused', message: 'no reason given' }],
  ['{"type":"ka"}', { kind: 'alive' }],
  ['{"type":"of a later version"}', { kind: 'alive' }],
  ['', { kind: 'alive' }],
  ['null', { kind: 'alive' }],
  ['[1]', { kind: 'alive' }],
  [new ArrayBuffer(3), { kind: 'alive' }],
])('%s is read as %o', (data, heard) => {
  expect(hear(data)).toEqual(heard);
});

test.each([
  ['http://a.example', 'ws://rt.example:8443/event/realtime'],
  ['https://a.example', 'wss://rt.example:8443/event/realtime'],
  ['HTTPS://a.example', 'wss://rt.example:8443/event/realtime'],
])('with %s the socket is at %s, and the key is in the second subprotocol, fit for a header', (url, socket) => {
  const realtime = { httpHost: 'a.example', realtimeHost: 'rt.example:8443', channel: '/account/x' };
  const key = 'toc_~~~???>>>';
  const { url: at, protocols } = handshake({ url, key, realtime });
  expect(at).toBe(socket);
  expect(protocols[0]).toBe('aws-appsync-event-ws');
  expect(protocols[1]).toMatch(/^header-[\w-]+$/);
  const shown = Buffer.from(protocols[1]!.slice('header-'.length), 'base64url').toString();
  expect(JSON.parse(shown)).toEqual({ host: 'a.example', Authorization: key });
});
