import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { announce } from '../ready.ts';

/** What the bench asks of a server under test, beside what clients ask. */
export interface Control {
  http: string;
  /** Signals all sockets once; resolves when that is under way. The answer is sent first. */
  signal(): Promise<void>;
}

/** What a server has used so far: CPU in microseconds, memory in bytes after everything unused is thrown away. */
export interface Usage {
  cpu: number;
  rss: number;
}

/**
 * Lets the bench signal without a call (`/signal`), signal so many times as fast as it goes (`/flood?times=`), and see what
 * the process has used (`/usage`, `/memory`). Then says that the server is ready: its own URL, and this one as `rpc`.
 */
export async function startControl({ http, signal }: Control): Promise<void> {
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/signal') {
      response.writeHead(202).end();
      await signal();
      return;
    }
    if (pathname === '/flood') {
      for (let n = 0; n < Number(searchParams.get('times')); n += 1) {
        await signal();
        // Long enough for a window of nothing to pass and for the sockets to be written.
        await sleep(2);
      }
    }
    if (pathname === '/memory') for (let n = 0; n < 3; n += 1) globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    const usage: Usage = { cpu: user + system, rss: process.memoryUsage.rss() };
    response.end(JSON.stringify(usage));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  announce(http, `http://127.0.0.1:${port}`);
}
