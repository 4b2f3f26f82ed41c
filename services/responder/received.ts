import type { CarrierAnswer } from '../channels/channel.ts';

/** The result of a carrier's request: the word for the log, and the answer to the carrier. */
export interface Received {
  outcome: string;
  answer: CarrierAnswer;
}

/** Nothing was done. */
export const NOTHING: Received = { outcome: 'nothing', answer: { kind: 'noted' } };

/** Signed, but about a message that is not ours: sending it again would not help. */
export const UNKNOWN_DELIVERY: Received = { outcome: 'unknown_delivery', answer: { kind: 'noted' } };
