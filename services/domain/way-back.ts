import type { Reached } from '../process/vocabulary.ts';
import type { ChannelKind } from './delivery.ts';

/** What becomes of what people answer through a carrier: it reaches this deployment, or it cannot. */
export type Answers = 'come_back' | 'lost';

/** Where a carrier, or this deployment, is. */
export interface CarrierPlace {
  at: Reached;
  /** The host where it runs, if it is known: it reaches itself. */
  host: string;
}

/** A carrier that everybody uses. */
export const OUTSIDE: CarrierPlace = { at: 'anywhere', host: '' };

/** Tells whether a carrier's requests reach a public address (DECISIONS.md "An address that the outside does not reach"). */
export function answersTo(to: CarrierPlace, { at, host }: CarrierPlace): Answers {
  if (to.at === 'anywhere' || to.host === host) return 'come_back';
  return at === 'this_machine' || at === to.at ? 'come_back' : 'lost';
}

/** From where people can respond to a message. */
export type RespondFrom = 'anywhere' | 'network' | 'nowhere';

/**
 * Tells from where people can respond over a channel. `answers`: what becomes of keys and replies there. Nobody
 * responds to a webhook.
 */
export function respondFrom(channel: ChannelKind, reached: Reached, answers: Answers): RespondFrom {
  const byLink = reached === 'this_machine' ? 'nowhere' : reached;
  switch (channel) {
    // Whoever presses in a chat is heard there, wherever this deployment is.
    case 'chat':
    case 'webhook':
      return 'anywhere';
    case 'call':
      return answers === 'come_back' ? 'anywhere' : 'nowhere';
    case 'text':
      return answers === 'come_back' ? 'anywhere' : byLink;
    case 'email':
    case 'push':
      return byLink;
  }
}
