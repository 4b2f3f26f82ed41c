import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** A carrier that takes every text after a while, and knows when each first came: by the number after `Alarm ` in it. */
export interface BenchCarrier {
  url: string;
  /** When the first text about an alarm came, by `performance.now()`; undefined: none did. */
  cameAt(alarm: number): number | undefined;
  /** How many came in all. */
  count(): number;
  stop(): Promise<void>;
}

/** Answers as Twilio's API does, `latencyMs` after the whole request is there. */
export async function startBenchCarrier(latencyMs: number): Promise<BenchCarrier> {
  const first = new Map<number, number>();
  let count = 0;
  const server = createServer(async (request, response) => {
    const body = new URLSearchParams(await text(request));
    const at = performance.now();
    const alarm = /Alarm (\d+)/.exec(body.get('Body') ?? '')?.[1];
    count++;
    if (alarm !== undefined && !first.has(Number(alarm))) first.set(Number(alarm), at);
    await sleep(latencyMs);
    response.writeHead(201, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ sid: `SM${String(count).padStart(32, '0')}`, status: 'queued' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cameAt: alarm => first.get(alarm),
    count: () => count,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
