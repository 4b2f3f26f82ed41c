import { createLru } from '../../process/lru.ts';
import type { SignalSettings } from './api.ts';

/** The message and attempt that a receipt is about. */
interface Sent {
  deliveryId: string;
  attempt: number;
}

/**
 * What this process sent through a server, by when Signal says that it did, which is all that a receipt names. It lives in memory: of what another
 * process sent, or this one before it was started anew, no receipt is understood, and it stays `sent`.
 */
export interface Receipts {
  /** Takes note of a message; `arrived`: its receipt has come already. */
  sent(to: string, at: string, message: Sent): 'arrived' | 'not_yet';
  /** Returns what a receipt is about; null: that is not known, or not yet. */
  arrived(from: string, at: string): Sent | null;
}

/** How many messages are remembered, and how many receipts of which nothing is known yet. */
const SENT_MOST = 10_000;
const EARLY_MOST = 1_000;

export function createReceipts(): Receipts {
  const sent = createLru<string, Sent>(SENT_MOST);
  const early = createLru<string, true>(EARLY_MOST);
  return {
    sent(to, at, message) {
      sent.set(`${to} ${at}`, message);
      return early.get(`${to} ${at}`) === undefined ? 'not_yet' : 'arrived';
    },
    arrived(from, at) {
      const message = sent.get(`${from} ${at}`);
      if (message === undefined) early.set(`${from} ${at}`, true);
      return message ?? null;
    },
  };
}

const all = new WeakMap<SignalSettings, Receipts>();

/** Returns those of a server: who sends and who listens share them. */
export function receiptsOf(settings: SignalSettings): Receipts {
  const receipts = all.get(settings) ?? createReceipts();
  all.set(settings, receipts);
  return receipts;
}
