import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request as it came. */
export interface Heard {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The same as it came; absent unless asked for. */
  bytes?: Buffer;
  /** When, by the clock of this process. */
  heardAt: number;
}

/**
 * How a server behaves towards those who ask it: `ok`; a number: as well, after so many milliseconds; `hang` takes the request
 * and never answers; `reset` takes it and drops the connection; `garbage` answers a page that is no JSON; `endless` answers
 * 100 MB; a status with headers: it refuses with that.
 */
export type PeerMode =
  | 'ok'
  | 'hang'
  | 'reset'
  | 'garbage'
  | 'endless'
  | number
  | { status: number; headers?: Record<string, string>; body?: string };

/** A real HTTP server on the loopback. */
export interface Peer {
  /** Without trailing slash. */
  url: string;
  /** Everything that was heard, in order, whatever was answered. */
  heard: readonly Heard[];
  behave(mode: PeerMode): void;
  /** How many requests wait for their answer, and how many did at most. */
  waiting(): { now: number; most: number };
  /** How many bytes of endless answers were written. */
  poured(): number;
  /** Twice is fine. */
  stop(): Promise<void>;
}

/** Starts one on a free port; `answer` is what it does where it behaves. `keeps`: what is kept of what it hears. */
export async function startPeer(
  answer: (heard: Heard, response: ServerResponse) => void,
  keeps: 'text' | 'bytes' = 'text',
): Promise<Peer> {
  let mode: PeerMode = 'ok';
  let now = 0;
  let most = 0;
  let poured = 0;
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    now++;
    most = Math.max(most, now);
    response.once('close', () => now--);
    const bytes = await buffer(request).catch(() => Buffer.alloc(0));
    const one: Heard = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: bytes.toString('utf8'),
      ...(keeps === 'bytes' && { bytes }),
      heardAt: performance.now(),
    };
    heard.push(one);
    const asked = mode;
    if (asked === 'hang') return;
    if (typeof asked === 'number') await new Promise(resolve => setTimeout(resolve, asked));
    if (asked === 'ok' || typeof asked === 'number') answer(one, response);
    else if (asked === 'reset') request.socket.resetAndDestroy();
    else if (asked === 'garbage') response.end('<html>Welcome to nginx!\0\uFFFD</html>');
    else if (asked === 'endless') pour(response, bytes => (poured += bytes));
    else response.writeHead(asked.status, asked.headers).end(asked.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    behave(next) {
      mode = next;
    },
    waiting: () => ({ now, most }),
    poured: () => poured,
    stop: () => stop(server),
  };
}

function pour(response: ServerResponse, onBytes: (bytes: number) => void): void {
  const chunk = Buffer.alloc(1 << 20, '{"id":"');
  let left = 100;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left--;
      onBytes(chunk.length);
      if (!response.write(chunk)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
