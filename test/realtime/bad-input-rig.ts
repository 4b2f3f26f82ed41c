import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { figureOf } from '../support/figures.ts';
import { eventually } from '../support/wait.ts';
import { holderOf, SUBPROTOCOL } from './client.ts';
import { KEYS, type Rig } from './rig.ts';

export const HOLDER = holderOf({ host: 'localhost', Authorization: KEYS.owner.secret });

export const GOOD = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol': `${SUBPROTOCOL}, ${HOLDER}`,
};

/** What became of an attempt to upgrade: an answer over HTTP, or a connection that is a WebSocket now. */
interface Attempt {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
  socket: Socket | null;
}

export function attempt(
  { port }: Rig,
  { method = 'GET', path = '/event/realtime', headers = {} }: { method?: string; path?: string; headers?: object } = {},
): Promise<Attempt> {
  const wanted = Object.entries({ ...GOOD, ...headers }).filter(([, value]) => value !== undefined);
  return new Promise((resolve, reject) => {
    const asking: ClientRequest = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: Object.fromEntries(wanted),
      agent: false,
    });
    asking.on('upgrade', ({ statusCode: status = 0, headers }, socket) => {
      socket.on('error', () => {});
      onTestFinished(() => void socket.destroy());
      resolve({ status, headers, body: '', socket: socket as Socket });
    });
    asking.on('response', answer => {
      let body = '';
      answer.setEncoding('utf8').on('data', chunk => (body += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body, socket: null }));
    });
    asking.on('error', reject);
    asking.end();
  });
}

/** The code of the close frame that comes, once the connection has ended. */
export async function closeCode(socket: Socket): Promise<number | null> {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
  });
  await eventually(() => socket.closed || socket.readableEnded, { what: 'the end of the connection' });
  const close = received.lastIndexOf(Buffer.from([0x88]));
  return close < 0 ? null : received.readUInt16BE(close + 2);
}

export async function open({ url }: Rig): Promise<number> {
  return figureOf(url, 'tocsin_realtime_sockets');
}
