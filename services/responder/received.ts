import type { CarrierAnswer } from '../channels/channel.ts';

/** What a carrier's request came to: the word for the log, and what the carrier is told. */
export interface Received {
  outcome: string;
  answer: CarrierAnswer;
}

/** Nothing was done. */
export const NOTHING: Received = { outcome: 'nothing', answer: { kind: 'noted' } };

/** Signed, and about a message that is none of ours: sending it again would not help. */
export const UNKNOWN_DELIVERY: Received = { outcome: 'unknown_delivery', answer: { kind: 'noted' } };
