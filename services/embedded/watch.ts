import type { Logger } from 'pino';
import type { Place } from './place.ts';
import { serverIsAlive, startServer } from './server.ts';

/** How often the server is checked, in milliseconds. */
const EVERY_MS = 1_000;

/**
 * Restarts the server if it dies under a running product: nobody else would. It keeps its port, because the product's
 * connections look for it there; until then calls are answered with 503. Returns the function that ends the watch.
 */
export function watchServer(
  place: Place,
  port: number,
  { log, settings }: { log: Pick<Logger, 'info' | 'error'>; settings?: readonly string[] },
): () => Promise<void> {
  let looking: Promise<void> = Promise.resolve();
  let state: 'watching' | 'reviving' = 'watching';

  async function revive(): Promise<void> {
    try {
      if (await serverIsAlive(place)) return;
      log.error({ folder: place.folder }, 'embedded PostgreSQL has died; it is started again');
      await startServer(place, port, settings);
      log.info({ folder: place.folder, port }, 'embedded PostgreSQL is back');
    } catch (fault) {
      log.error({ err: fault }, 'embedded PostgreSQL could not be checked; retrying');
    }
  }

  const timer = setInterval(() => {
    if (state === 'reviving') return;
    state = 'reviving';
    looking = revive().finally(() => {
      state = 'watching';
    });
  }, EVERY_MS);

  return async () => {
    clearInterval(timer);
    await looking;
  };
}
