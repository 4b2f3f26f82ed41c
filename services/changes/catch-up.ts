import type { Bus } from './bus.ts';
import type { BusLog } from './subscribers.ts';

/** A message as it is published. */
export interface Message {
  subject: string;
  payload?: unknown;
}

/** A message of which it is not known whether it came. */
interface Sent {
  message: Message;
  tries: number;
}

/** What was sent between two answers of the server. */
interface Batch {
  messages: Map<string, Sent>;
  /** Whether there was room for all of them. */
  remembers: 'all' | 'some';
  since: number;
}

const newBatch = (): Batch => ({ messages: new Map(), remembers: 'all', since: performance.now() });

export interface CatchUpOptions {
  /** The messages that what was committed in the last so many seconds deserves, from the database. */
  recent(seconds: number): Promise<Message[]>;
  log: BusLog;
  /** How long a message may go without the server's word that it came, in milliseconds: 1,000 where absent. */
  confirmEveryMs?: number;
  /** How many different messages are remembered until then: 10,000 where absent. Beyond, the database is asked. */
  most?: number;
}

/** How far back the changes are signalled that a process may have committed and not published, in seconds. */
const LOOK_BACK_S = 60;

/** How many messages go out before the server is asked for its word: less than a bus takes without it. */
const CHUNK = 1_000;

/** How often a message is sent again: one that a server refuses for what it is must not go round for ever. */
const MOST_TRIES = 5;

/**
 * A bus that makes good what is lost on the way, for processes that publish changes (SPEC.md 6: a missed frame leaves a
 * reader briefly stale; this page keeps it brief). All of what becomes of a lost signal stands here:
 *
 * - Lost with the connection, or dropped while it was away or the server hung: each message is remembered, once, until
 *   the server answers a question asked after it. What has no such answer when the connection is back goes out again.
 * - More of them lost than are remembered: the database says what changed since the last answer, and that goes out.
 * - Committed by a process that died before it could publish: `begin`, called at every start of a process, sends signals for
 *   what was committed during the last minute. Nobody else knows of these, so a death is made good by the next start of
 *   any process; until then readers have their own polls.
 * - Lost between two servers of a cluster, with all connections whole: nobody knows; the readers' polls make it good.
 * - Missed by a reader whose own connection was away: the reader's to make good, by its onReconnect.
 */
export function withCatchUp(bus: Bus, options: CatchUpOptions): Bus & { begin(): Promise<void> } {
  const { recent, log, confirmEveryMs = 1_000, most = 10_000 } = options;
  let current = newBatch();
  let asked = newBatch();
  /** Since when messages were lost that nobody remembers; null: none. */
  let forgottenSince: number | null = null;
  let connections = 0;
  let dropped = bus.dropped;
  let timer: NodeJS.Timeout | undefined;
  let state: 'open' | 'closed' = 'open';

  function send(message: Message, tries: number): void {
    bus.publish(message.subject, message.payload);
    if (tries > MOST_TRIES) return;
    if (current.messages.size === 0) current.since = performance.now();
    if (current.messages.size + asked.messages.size >= most) current.remembers = 'some';
    else current.messages.set(`${message.subject} ${JSON.stringify(message.payload)}`, { message, tries });
    schedule();
  }

  function schedule(): void {
    if (state === 'closed' || timer !== undefined) return;
    if (current.messages.size === 0 && current.remembers === 'all' && forgottenSince === null) return;
    const confirmThenGoOn = () =>
      void confirm().finally(() => {
        timer = undefined;
        schedule();
      });
    timer = setTimeout(confirmThenGoOn, confirmEveryMs).unref();
  }

  /** Asks for the server's word on everything sent so far. While it is away this waits for it. */
  async function confirm(): Promise<void> {
    const connection = connections;
    asked = current;
    current = newBatch();
    await bus.flush().catch(() => {});
    if (state === 'closed') return;
    // What was lost with a connection went out again when the next one stood.
    if (connection === connections) {
      if (bus.dropped === dropped) asked = newBatch();
      else again();
    }
    await sendForgotten();
  }

  function again(): void {
    const lost = [asked, current];
    asked = newBatch();
    current = newBatch();
    dropped = bus.dropped;
    for (const { messages, remembers, since } of lost) {
      if (remembers === 'some') forgottenSince = Math.min(forgottenSince ?? since, since);
      for (const { message, tries } of messages.values()) send(message, tries + 1);
    }
    schedule();
  }

  /** Stays to be done where the database cannot say it now. */
  async function sendForgotten(): Promise<void> {
    if (forgottenSince === null) return;
    const since = forgottenSince;
    forgottenSince = null;
    const sent = await sendChangesOf((performance.now() - since) / 1_000 + LOOK_BACK_S);
    if (sent === 'failed') forgottenSince = since;
  }

  async function sendChangesOf(seconds: number): Promise<'sent' | 'failed'> {
    try {
      const messages = await recent(seconds);
      for (let at = 0; at < messages.length; at += CHUNK) {
        for (const { subject, payload } of messages.slice(at, at + CHUNK)) bus.publish(subject, payload);
        await bus.flush();
      }
      return 'sent';
    } catch (err) {
      if (state === 'open') log.warn({ err }, 'Signals of recent changes could not be sent; readers poll meanwhile.');
      return 'failed';
    }
  }

  const endReconnect = bus.onReconnect(() => {
    connections += 1;
    again();
  });
  return {
    publish: (subject, payload) => send({ subject, payload }, 0),
    subscribe: (subject, receive) => bus.subscribe(subject, receive),
    flush: () => bus.flush(),
    onReconnect: callback => bus.onReconnect(callback),
    get dropped() {
      return bus.dropped;
    },
    get malformed() {
      return bus.malformed;
    },
    get connected() {
      return bus.connected;
    },
    async begin() {
      await sendChangesOf(LOOK_BACK_S);
    },
    close() {
      state = 'closed';
      clearTimeout(timer);
      endReconnect();
      return bus.close();
    },
  };
}
