import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import type { Bus } from './bus.ts';
import { type BusLog, createSubscribers, messageText, type Subscription } from './subscribers.ts';

/**
 * Creates the bus inside one process, used if `NATS_URL` is not set. Behaves like the NATS bus: messages arrive in
 * order, in a later turn of the event loop, having passed through JSON.
 */
export function createLocalBus({ log = pino() }: { log?: BusLog } = {}): Bus {
  const subscribers = createSubscribers(log);
  let state: 'open' | 'closed' = 'open';
  let dropped = 0;
  let waiting: { to: readonly Subscription[]; text: string; subject: string }[] = [];

  function deliverWaiting(): void {
    const batch = waiting;
    waiting = [];
    if (state === 'closed') return;
    for (const { to, text, subject } of batch) subscribers.deliver(to, text, subject);
  }

  return {
    publish(subject, payload) {
      const text = state === 'open' ? messageText(subject, payload, log) : null;
      if (text === null) {
        dropped += 1;
        return;
      }
      const to = subscribers.matching(subject);
      if (to.length > 0 && waiting.push({ to, text, subject }) === 1) setImmediate(deliverWaiting);
    },
    subscribe: (subject, receive) => subscribers.add(subject, receive),
    async flush() {
      await turn();
      if (state === 'closed') throw new Error('The bus is closed.');
    },
    onReconnect: () => () => {},
    get dropped() {
      return dropped;
    },
    get malformed() {
      return subscribers.malformed;
    },
    get connected() {
      return state === 'open';
    },
    async close() {
      state = 'closed';
    },
  };
}
