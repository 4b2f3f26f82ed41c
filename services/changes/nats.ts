import type { NatsConnection, Subscription } from 'nats';
import { Counter, Gauge } from 'prom-client';
import type { Bus } from './bus.ts';
import { linkToNats } from './nats-link.ts';
import { readNatsServers } from './nats-url.ts';
import { type BusLog, createSubscribers, messageText } from './subscribers.ts';

/** The buses over NATS of this process. Asked when they are scraped. */
const buses = new Set<Bus>();

new Gauge({
  name: 'tocsin_nats_connected',
  help: 'Whether this process is connected to NATS: 1, 0, or NaN where it uses none.',
  collect() {
    this.set(buses.size === 0 ? Number.NaN : [...buses].every(({ connected }) => connected) ? 1 : 0);
  },
});

new Counter({
  name: 'tocsin_nats_dropped_total',
  help: 'Change signals that did not leave: no connection, or a server that does not answer.',
  collect() {
    this.reset();
    this.inc([...buses].reduce((sum, { dropped }) => sum + dropped, 0));
  },
});

/** How many messages may be sent without the server's acknowledgement: limits memory while it hangs. */
const MOST_UNANSWERED = 20_000;
const ASK_EVERY = 1_000;

/** What belongs to one connection and ends with it. */
interface Session {
  connection: NatsConnection;
  /** NATS's own subscription for each pattern. */
  taps: Map<string, Subscription>;
  /** Messages sent since the last one the server is known to have. */
  unanswered: number;
}

export interface NatsBusOptions {
  /** See readNatsServers; list every server of a cluster. */
  servers: string | readonly string[];
  log: BusLog;
  /** Time limit of the first connection, in milliseconds: 10,000 if absent. */
  firstWithinMs?: number;
  /** After how long a silent server is given up, in milliseconds: 15,000 if absent. */
  silenceMs?: number;
}

/**
 * The bus over NATS, for more than one process. Waits for the first connection and throws one sentence that says what
 * is wrong; afterwards it repairs every loss by itself. Publishes only while connected: nats.js itself would keep
 * everything in memory until the server is back.
 */
export async function connectNatsBus(options: NatsBusOptions): Promise<Bus> {
  const { log, servers, firstWithinMs = 10_000, silenceMs = 15_000 } = options;
  const subscribers = createSubscribers(log);
  const reconnectCallbacks = new Set<{ callback: (awayS: number) => void }>();
  let dropped = 0;
  let session: Session | null = null;
  /**
   * When messages may have begun to get lost, by the clock of `performance`: a server is given up only after a silence.
   */
  let lostSince: number | null = null;

  const link = await linkToNats({ servers: readNatsServers(servers), log, firstWithinMs, silenceMs, onUp });

  function onUp(connection: NatsConnection, which: 'first' | 'again'): void {
    const opened: Session = { connection, taps: new Map(), unanswered: 0 };
    session = opened;
    void connection.closed().then(() => {
      // Of two losses in a row the first counts: until it has been told, what it lost is not caught up on.
      lostSince ??= performance.now() - silenceMs;
    });
    for (const pattern of subscribers.patterns()) tap(opened, pattern);
    if (which === 'again') connection.flush().then(tellReconnected, () => {});
  }

  function tellReconnected(): void {
    const awayS = (performance.now() - (lostSince ?? performance.now())) / 1_000;
    lostSince = null;
    for (const { callback } of [...reconnectCallbacks]) {
      try {
        callback(awayS);
      } catch (err) {
        log.error({ err }, 'A callback failed after the connection to NATS came back.');
      }
    }
  }

  function tap({ connection, taps }: Session, pattern: string): void {
    if (connection.isClosed() || connection.isDraining()) return;
    const subscription = connection.subscribe(pattern, {
      callback(err, message) {
        if (err) log.error({ err, pattern }, 'NATS refused a subscription.');
        else subscribers.deliver(subscribers.of(pattern), message.string(), message.subject);
      },
    });
    taps.set(pattern, subscription);
  }

  function send(subject: string, text: string): 'sent' | 'dropped' {
    if (link.connection === null || session === null || session.unanswered >= MOST_UNANSWERED) return 'dropped';
    const { connection } = session;
    try {
      connection.publish(subject, text);
    } catch (err) {
      if (!connection.isDraining()) log.error({ err, subject }, 'NATS refused a message.');
      return 'dropped';
    }
    session.unanswered += 1;
    if (session.unanswered % ASK_EVERY === 0) ask(session);
    return 'sent';
  }

  const bus: Bus = {
    publish(subject, payload) {
      const text = messageText(subject, payload, log);
      if (text === null || send(subject, text) === 'dropped') dropped += 1;
    },
    subscribe(pattern, receive) {
      const end = subscribers.add(pattern, receive);
      if (session !== null && !session.taps.has(pattern)) tap(session, pattern);
      return () => {
        end();
        if (session === null || subscribers.of(pattern).length > 0) return;
        session.taps.get(pattern)?.unsubscribe();
        session.taps.delete(pattern);
      };
    },
    async flush() {
      for (;;) {
        const connection = await link.up();
        const answered = connection.flush().then(
          () => 'answered',
          () => connection.closed(),
        );
        if ((await Promise.race([answered, connection.closed()])) === 'answered') return;
      }
    },
    onReconnect(callback) {
      const entry = { callback };
      reconnectCallbacks.add(entry);
      return () => reconnectCallbacks.delete(entry);
    },
    get dropped() {
      return dropped;
    },
    get malformed() {
      return subscribers.malformed;
    },
    get connected() {
      return link.connection !== null;
    },
    close() {
      buses.delete(bus);
      return link.close();
    },
  };
  buses.add(bus);
  return bus;
}

/** Asks the server to confirm everything sent so far on this connection. A lost connection never answers. */
function ask(session: Session): void {
  session.connection.flush().then(
    () => {
      session.unanswered -= ASK_EVERY;
    },
    () => {},
  );
}
