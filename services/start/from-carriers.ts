import type { Logger } from 'pino';
import type { Bus } from '../changes/bus.ts';
import type { ReturnedMailbox } from '../channels/channel.ts';
import type { LiveChannels } from '../channels/live.ts';
import { carriersOf } from '../domain/reach.ts';
import type { Engine } from '../engine/engine.ts';
import { type Loop, startLoop } from '../engine/loop.ts';
import { createAnswersLook } from '../responder/answers-there.ts';
import type { Links } from '../responder/links.ts';
import { createListening } from '../responder/listening.ts';
import { createReturnedLook } from '../responder/returned.ts';
import type { Connect } from '../responder/said.ts';
import type { Seal } from '../store/seal.ts';
import type { Store } from '../store/store.ts';

/** What carriers are listened to with. */
interface Listening {
  channels: LiveChannels;
  store: Store;
  seal: Seal;
  bus: Bus;
  log: Logger;
}

/** The longest wait between two looks; usually the mailbox itself says when to look. */
const RETURNED_POLL_MS = 60_000;

/** As the looks themselves say. */
const LISTENS_MS = 60_000;
const ANSWERS_POLL_MS = 1_000;

/**
 * Starts all that carriers have to be asked for: returned mail, what people answer in apps, and what they say to bots. `connect`: does
 * what the link of an account is for.
 */
export function startFromCarriers(deps: Listening & { links: Links }, engine: Engine, connect: Connect): Part {
  const parts: Part[] = [
    startReturned(deps, engine),
    startAnswers(deps, engine),
    startListening(deps, engine, connect),
  ];
  return {
    async drain() {
      for (const part of parts) await part.drain();
    },
    close: async () => void (await Promise.all(parts.map(part => part.close()))),
  };
}

/** Starts reading returned mail, from whichever mailbox is set at the time. */
function startReturned({ channels, store, log }: Listening, { scheduled, reported }: Engine) {
  const deps = { store, carriers: carriersOf(channels), log, scheduled, reported };
  let heard: ReturnedMailbox | null = null;
  async function look() {
    const mailbox = channels.returned;
    if (mailbox === null) return { inMs: RETURNED_POLL_MS };
    if (mailbox !== heard) mailbox.onArrival(loop.nudge);
    heard = mailbox;
    return createReturnedLook(deps, mailbox)();
  }
  const loop = startLoop('returned mail', look, log, RETURNED_POLL_MS);
  channels.onReplaced(loop.nudge);
  return {
    drain: loop.drain,
    async close() {
      // The mailbox comes first: the loop may be waiting for a server that hangs.
      await channels.returned?.close();
      await loop.close();
    },
  };
}

/** Starts asking carriers for what people answer in their apps, each by itself: one that hangs delays no answer of another. */
function startAnswers(
  { channels, store, seal, bus, log, links }: Listening & { links: Links },
  { nudge }: Engine,
): Part {
  return startEach(channels, channels.answersThere, (carrier, there) => {
    const look = createAnswersLook({ store, seal, bus, nudge, links, log }, carrier, there);
    return startLoop(`answers in the app of ${carrier}`, look, log, ANSWERS_POLL_MS);
  });
}

/** Starts listening to the bots of carriers, if there are any. `connect`: does what the link of an account is for. */
function startListening(
  { channels, store, seal, bus, log, links }: Listening & { links: Links },
  { nudge, scheduled, reported }: Engine,
  connect: Connect,
): Part {
  const on = { store, seal, bus, nudge, links, log, carriers: carriersOf(channels), scheduled, reported };
  return startEach(channels, channels.bots, (carrier, bot) => {
    const listening = createListening(on, carrier, bot, connect);
    const loop = startLoop(`what is said to ${carrier}`, listening.look, log, LISTENS_MS);
    return {
      drain: async () => {},
      async close() {
        listening.end();
        await loop.close();
        // Whoever starts next need not wait; a database that is away has to be waited for anyway.
        await listening.leave().catch(() => {});
      },
    };
  });
}

/** What runs until it is closed. */
type Part = Pick<Loop, 'drain' | 'close'>;

/** Starts a part for each thing of a map that is filled anew when carriers are set up; a part ends once its thing is another one. */
function startEach<Thing>(
  channels: LiveChannels,
  things: ReadonlyMap<string, Thing>,
  begin: (carrier: string, thing: Thing) => Part,
): Part {
  const running = new Map<string, { thing: Thing; part: Part }>();
  const ending = new Set<Promise<void>>();
  let state: 'open' | 'closed' = 'open';

  function end(carrier: string, { part }: { part: Part }): void {
    running.delete(carrier);
    const ended = part.close().finally(() => ending.delete(ended));
    ending.add(ended);
  }

  function follow(): void {
    if (state === 'closed') return;
    for (const [carrier, one] of running) if (things.get(carrier) !== one.thing) end(carrier, one);
    for (const [carrier, thing] of things) {
      if (!running.has(carrier)) running.set(carrier, { thing, part: begin(carrier, thing) });
    }
  }

  follow();
  channels.onReplaced(follow);
  return {
    drain: async () => void (await Promise.all([...running.values()].map(({ part }) => part.drain()))),
    async close() {
      state = 'closed';
      for (const [carrier, one] of running) end(carrier, one);
      await Promise.all(ending);
    },
  };
}
