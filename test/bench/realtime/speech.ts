import { randomBytes } from 'node:crypto';

/** What a crowd says to a server so that it signals, and how it knows a signal. */
export interface Speech {
  /** The lines of the upgrade besides those that every WebSocket has. */
  headers(key: string): string[];
  path: string;
  /** The first message after the upgrade. */
  subscribe(key: string, channel: string): Buffer;
  /** What the server's text holds once the subscription stands, and once it never will. */
  welcome: string;
  refusal: string;
  /** Whether the frame at `at` is a signal; keep-alives and pings are none. */
  isSignal(data: Buffer, at: number): boolean;
}

/** AppSync Events, which the relay and the bare broadcast speak. */
export const APPSYNC: Speech = {
  headers: key => ['Sec-WebSocket-Protocol: aws-appsync-event-ws', `X-Api-Key: ${key}`],
  path: '/event/realtime',
  subscribe: (key, channel) =>
    masked(0x81, JSON.stringify({ type: 'subscribe', id: 's', channel, authorization: { Authorization: key } })),
  welcome: 'subscribe_success',
  refusal: '_error',
  // {"type":"data" has its d at 9, {"type":"ka" has its k there.
  isSignal: (data, at) => data[at] === 0x81 && data[at + 2 + 9] === 0x64,
};

/** The subject on which nats-server is told to signal. */
export const NATS_SUBJECT = 'signal';

/** NATS over its server's own WebSocket listener: no keys, no channels. */
export const NATS: Speech = {
  headers: () => [],
  path: '/',
  subscribe: () => masked(0x82, `CONNECT {"verbose":false,"pedantic":false}\r\nSUB ${NATS_SUBJECT} 1\r\nPING\r\n`),
  welcome: 'PONG',
  refusal: '-ERR',
  // MSG <subject> …; the server's own PING and INFO begin otherwise.
  isSignal: (data, at) => data[at + 2] === 0x4d,
};

/** The upgrade that opens a socket. */
export function upgradeOf(to: { host: string; port: number }, speech: Speech, key: string): string {
  const headers = [
    `GET ${speech.path} HTTP/1.1`,
    `Host: ${to.host}:${to.port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    ...speech.headers(key),
  ];
  return `${headers.join('\r\n')}\r\n\r\n`;
}

/** A frame of a client, with a mask of zeros: RFC 6455 asks for a mask, not for a secret. */
function masked(first: 0x81 | 0x82, text: string): Buffer {
  const payload = Buffer.from(text);
  const head = [first, 0x80 | 126, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0];
  return Buffer.concat([Buffer.from(head), payload]);
}
