import type { Logger } from 'pino';
import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import { type Carried, carriersOf } from '../domain/reach.ts';
import type { Channel, MailChannel, Route } from './channel.ts';
import type { Channels } from './channels.ts';

/** Channels that are opened anew while others hold them: whoever holds them always has those of now. */
export interface LiveChannels extends Channels {
  /** The channels that have a carrier: the same list, kept up to date. */
  carried: Carried;
  /** Puts others in their place. What is being sent ends on those it began on, which are closed after. */
  replaceWith(next: Channels): void;
  /** Calls back whenever that was done. */
  onReplaced(replaced: () => void): void;
  /**
   * What to do before a message is kept because nothing carries it: another process may have set up a carrier a moment ago, and what is
   * kept is never sent.
   */
  lookBeforeKept(look: () => Promise<void>): void;
}

/**
 * How long channels that were replaced stay open after the last message, in milliseconds: between two carriers that stand by for each
 * other a message is with neither.
 */
const LINGER_MS = 30_000;

/** Channels that were opened together, and how many messages are on them. */
interface Opened {
  channels: Channels;
  underWay: number;
  state: 'in_use' | 'replaced' | 'closed';
  lingering: NodeJS.Timeout | undefined;
}

/** Creates them of the first ones. */
export function createLiveChannels(first: Channels, log: Logger): LiveChannels {
  let now = opened(first);
  const replaced = new Set<Opened>();
  const told: (() => void)[] = [];
  let look: () => Promise<void> = async () => {};
  const unconfigured: ChannelKind[] = [];
  const lacks = new Set<string>();
  const carried = Object.assign([] as ChannelKind[], { lacks });
  const callbacks = new Map(first.callbacks);
  const answersThere = new Map(first.answersThere);
  const bots = new Map(first.bots);

  /** Lists and maps are handed on as they are, so they are kept and filled anew. */
  function fill({ channels }: Opened): void {
    unconfigured.splice(0, unconfigured.length, ...channels.unconfigured);
    carried.splice(0, carried.length, ...carriersOf(channels));
    lacks.clear();
    for (const one of channels.lacks) lacks.add(one);
    refill(callbacks, channels.callbacks);
    refill(answersThere, channels.answersThere);
    // Of one bot nobody else may listen.
    bots.clear();
    refill(bots, channels.bots);
  }

  async function counted<T>(on: Opened, work: () => Promise<T>): Promise<T> {
    on.underWay++;
    clearTimeout(on.lingering);
    try {
      return await work();
    } finally {
      on.underWay--;
      linger(on);
    }
  }

  function linger(on: Opened): void {
    if (on.state !== 'replaced' || on.underWay > 0) return;
    clearTimeout(on.lingering);
    on.lingering = setTimeout(() => void end(on), LINGER_MS).unref();
  }

  async function end(on: Opened): Promise<void> {
    clearTimeout(on.lingering);
    on.state = 'closed';
    replaced.delete(on);
    await on.channels.close().catch(error => log.warn({ err: error }, 'channels that were replaced did not close'));
  }

  function routesOf(kind: ChannelKind, on: Opened, routes: readonly Route[]): Route[] {
    return routes.map(({ carrier, channel }) => {
      const { find } = channel;
      return {
        carrier,
        channel: {
          ...channel,
          send: async (...sent) => unlessKept(kind, on, await counted(on, () => channel.send(...sent)), sent),
          ...(find !== undefined && { find: (...asked) => counted(on, () => find(...asked)) }),
        } satisfies Channel,
      };
    });
  }

  /** Sends over the channels of now; again, where they turn out to be others before it is kept. */
  async function send(kind: ChannelKind, ...sent: Parameters<Channel['send']>): ReturnType<Channel['send']> {
    const on = now;
    return unlessKept(kind, on, await counted(on, () => on.channels.byKind[kind].send(...sent)), sent);
  }

  async function unlessKept(
    kind: ChannelKind,
    on: Opened,
    outcome: Awaited<ReturnType<Channel['send']>>,
    sent: Parameters<Channel['send']>,
  ): ReturnType<Channel['send']> {
    if (outcome.kind !== 'kept') return outcome;
    await look().catch(error => log.warn({ err: error }, 'whether a carrier was set up meanwhile could not be read'));
    return now === on ? outcome : send(kind, ...sent);
  }

  /** What a channel can do differs from carrier to carrier, so it is asked of the one of now each time. */
  function liveOf<Kind extends ChannelKind>(kind: Kind): Channels['byKind'][Kind] {
    const inner = (): Channel => now.channels.byKind[kind];
    const live: Channel = {
      kind,
      get atOnce() {
        return inner().atOnce;
      },
      send: (...sent) => send(kind, ...sent),
      get find() {
        return inner().find;
      },
      get routes() {
        const on = now;
        const { routes } = inner();
        return routes && ((...asked: Parameters<typeof routes>) => routesOf(kind, on, routes(...asked)));
      },
      get ask() {
        return inner().ask;
      },
      get answers() {
        return inner().answers;
      },
      close: () => inner().close(),
    } as Channel;
    return live as Channels['byKind'][Kind] & MailChannel;
  }

  fill(now);
  return {
    byKind: Object.fromEntries(CHANNELS.map(kind => [kind, liveOf(kind)])) as Channels['byKind'],
    unconfigured,
    lacks,
    carried,
    get inUse() {
      return now.channels.inUse;
    },
    hints: first.hints,
    callbacks,
    answersThere,
    bots,
    get returned() {
      return now.channels.returned;
    },
    respondFrom: publicUrl => now.channels.respondFrom(publicUrl),
    failing: how => now.channels.failing(how),
    ask: limitMs => now.channels.ask(limitMs),
    replaceWith(next) {
      const before = now;
      now = opened(next);
      before.state = 'replaced';
      replaced.add(before);
      fill(now);
      // Two of one mailbox would read each report twice, and the next one is read by the new one.
      void before.channels.returned?.close();
      linger(before);
      for (const tell of told) tell();
    },
    onReplaced: callback => void told.push(callback),
    lookBeforeKept(callback) {
      look = callback;
    },
    async close() {
      await Promise.all([...replaced, now].map(end));
    },
  };
}

function opened(channels: Channels): Opened {
  return { channels, underWay: 0, state: 'in_use', lingering: undefined };
}

/** A carrier that was removed still reports on what it took before, and is asked for it. */
function refill<Key, Value>(map: Map<Key, Value>, from: ReadonlyMap<Key, Value>): void {
  for (const [key, value] of from) map.set(key, value);
}
