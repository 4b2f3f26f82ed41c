import type { Logger } from 'pino';
import { backoffMs } from '../../services/process/backoff.ts';
import { createEndpoint, type Endpoint } from './endpoint.ts';

/** How often a lost process is asked whether it is back, in milliseconds. */
const ASK_AGAIN = { firstMs: 100, mostMs: 2_000 };

/** The processes of the services, and which of them to call. */
export interface Endpoints {
  /** Returns the next one to call that was not tried yet; null: all were. Healthy ones come first, in turn. */
  next(tried: ReadonlySet<Endpoint>): Endpoint | null;
  /** Marks it as unreachable: others come first until it is healthy again. */
  lost(endpoint: Endpoint, cause: unknown): void;
  close(): void;
}

/** Watches the processes of RPC_URL. All calls of a turn of the event loop go to one of them, the next turn to the next. */
export function createEndpoints(urls: readonly string[], serviceToken: string | null, log: Logger): Endpoints {
  const endpoints = urls.map(url => createEndpoint(url, serviceToken, turn));
  const down = new Set<Endpoint>();
  const timers = new Set<NodeJS.Timeout>();
  // Facades begin with different ones.
  let first = Math.floor(Math.random() * endpoints.length);
  let state: 'open' | 'closed' = 'open';

  function turn(): void {
    first = (first + 1) % endpoints.length;
  }

  function askLater(endpoint: Endpoint, failures = 1): void {
    const timer = setTimeout(
      async () => {
        timers.delete(timer);
        const answer = await endpoint.health().catch(() => 'no answer');
        if (state === 'closed') return;
        if (answer !== 'serving') return askLater(endpoint, failures + 1);
        down.delete(endpoint);
        log.info({ services: endpoint.url }, 'The services there answer again.');
      },
      backoffMs(failures, ASK_AGAIN),
    ).unref();
    timers.add(timer);
  }

  return {
    next(tried) {
      const inTurn = endpoints.map((_, at) => endpoints[(first + at) % endpoints.length]!);
      const open = inTurn.filter(endpoint => !tried.has(endpoint));
      return open.find(endpoint => !down.has(endpoint)) ?? open[0] ?? null;
    },
    lost(endpoint, cause) {
      if (down.has(endpoint) || state === 'closed') return;
      down.add(endpoint);
      log.warn({ services: endpoint.url, err: cause }, 'Services cannot be reached; asking others, if there are any.');
      askLater(endpoint);
    },
    close() {
      state = 'closed';
      for (const timer of timers) clearTimeout(timer);
      for (const endpoint of endpoints) endpoint.close();
    },
  };
}
