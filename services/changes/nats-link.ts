import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from 'nats';
import { connectEventually, connectWithin, type Dialling } from './nats-dial.ts';
import type { BusLog } from './subscribers.ts';

/** A connection to NATS that is renewed whenever it is lost. */
export interface NatsLink {
  /** The present connection; null if there is none. */
  readonly connection: NatsConnection | null;
  /** Waits for a connection; rejects when the link is closed. */
  up(): Promise<NatsConnection>;
  /** Closes the connection once what was published has left, or after 3 s. May be called twice. */
  close(): Promise<void>;
}

export interface LinkOptions extends Dialling {
  log: BusLog;
  /** Time limit of the first connection, in milliseconds. */
  firstWithinMs: number;
  /** Called with every connection before anybody else sees it; `again` if one was lost before. */
  onUp(connection: NatsConnection, which: 'first' | 'again'): void;
}

const DRAIN_MS = 3_000;

/** Connects, or throws the sentence of connectWithin; afterwards it repairs every loss by itself. */
export async function linkToNats({ log, firstWithinMs, onUp, ...dialling }: LinkOptions): Promise<NatsLink> {
  const ended = new AbortController();
  let connection: NatsConnection | null = null;
  let next = Promise.withResolvers<NatsConnection>();
  let closing: Promise<void> | undefined;

  function use(opened: NatsConnection, which: 'first' | 'again'): void {
    connection = opened;
    onUp(opened, which);
    next.resolve(opened);
    void opened.closed().then(() => repair(opened));
  }

  async function repair(lost: NatsConnection): Promise<void> {
    connection = null;
    if (ended.signal.aborted) return;
    next = Promise.withResolvers();
    next.promise.catch(() => {});
    log.warn({ server: lost.getServer() }, 'Lost the connection to NATS; trying again until it is back.');
    const opened = await connectEventually(dialling, ended.signal);
    if (opened === null) return;
    log.info({ server: opened.getServer() }, 'The connection to NATS is back.');
    use(opened, 'again');
  }

  async function close(): Promise<void> {
    ended.abort();
    next.reject(new Error('The bus is closed.'));
    const last = connection;
    if (last === null) return;
    const drained = new AbortController();
    const patience = sleep(DRAIN_MS, undefined, { signal: drained.signal });
    await Promise.race([last.drain().catch(() => {}), patience]);
    drained.abort();
    await last.close();
  }

  use(await connectWithin(dialling, firstWithinMs), 'first');
  return {
    get connection() {
      return ended.signal.aborted ? null : connection;
    },
    async up() {
      if (ended.signal.aborted) throw new Error('The bus is closed.');
      return next.promise;
    },
    close: () => (closing ??= close()),
  };
}
