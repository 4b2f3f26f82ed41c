import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Somebody outside who waits for the heartbeat, in Healthchecks' shape. */
export interface Heartbeats {
  url: string;
  /** What was said since the last time this was asked, in order. */
  said(): ('well' | 'fail')[];
}

/** Starts one; it stops with the test. `answer`: absent, each call is taken. */
export async function startHeartbeats(
  answer: RequestListener = (_request, response) => response.end('OK'),
): Promise<Heartbeats> {
  let said: ('well' | 'fail')[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === '/check') said.push('well');
    if (request.method === 'GET' && request.url === '/check/fail') said.push('fail');
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/check`,
    said() {
      const before = said;
      said = [];
      return before;
    },
  };
}
