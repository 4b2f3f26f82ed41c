import type { Logger } from 'pino';
import type { Bus } from '../changes/bus.ts';
import type { Channels } from '../channels/channels.ts';
import { carriersOf } from '../domain/reach.ts';
import type { Engine } from '../engine/engine.ts';
import { startLoop } from '../engine/loop.ts';
import { createAnswersLook } from '../responder/answers-there.ts';
import { createReturnedLook } from '../responder/returned.ts';
import type { Seal } from '../store/seal.ts';
import type { Store } from '../store/store.ts';

/** What carriers are listened to with. */
interface Listening {
  channels: Channels;
  store: Store;
  seal: Seal;
  bus: Bus;
  log: Logger;
}

/** The longest wait between two looks; usually the mailbox itself says when to look. */
const RETURNED_POLL_MS = 60_000;

/** As the look itself says. */
const ANSWERS_POLL_MS = 1_000;

/** Starts reading returned mail, if a mailbox is set. */
export function startReturned({ channels, store, log }: Listening, { scheduled, reported }: Engine) {
  const mailbox = channels.returned;
  if (mailbox === null) return { drain: async () => {}, close: async () => {} };
  const look = createReturnedLook({ store, carriers: carriersOf(channels), log, scheduled, reported }, mailbox);
  const loop = startLoop('returned mail', look, log, RETURNED_POLL_MS);
  mailbox.onArrival(loop.nudge);
  return {
    drain: loop.drain,
    async close() {
      // The mailbox comes first: the loop may be waiting for a server that hangs.
      await mailbox.close();
      await loop.close();
    },
  };
}

/** Starts asking carriers for what people answer in their apps, if one is set up that has to be asked. */
export function startAnswers({ channels, store, seal, bus, log }: Listening, { nudge }: Engine) {
  if (channels.answersThere.size === 0) return { drain: async () => {}, close: async () => {} };
  const look = createAnswersLook({ store, seal, bus, nudge, log }, channels.answersThere);
  return startLoop('answers in apps', look, log, ANSWERS_POLL_MS);
}
