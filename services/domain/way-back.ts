import { type Reached, reachedFrom } from '../process/public-address.ts';
import type { ChannelKind } from './delivery.ts';

/** What becomes of what people answer through a carrier: it reaches this deployment, or it cannot. */
export type Answers = 'come_back' | 'lost';

/** From where a carrier makes its requests. */
export interface CarrierPlace {
  at: Reached;
  /** The host where it runs, if it is known: it reaches itself. */
  host: string;
}

/** A carrier that everybody uses. */
export const OUTSIDE: CarrierPlace = { at: 'anywhere', host: '' };

/** Returns the place of a carrier that an operator runs. */
export function placeOf(url: string): CarrierPlace {
  return { at: reachedFrom(url), host: new URL(url).hostname };
}

/** Tells whether a carrier's requests reach a public URL (DECISIONS.md "An address that the outside does not reach"). */
export function answersTo(publicUrl: string, { at, host }: CarrierPlace): Answers {
  const to = reachedFrom(publicUrl);
  if (to === 'anywhere' || new URL(publicUrl).hostname === host) return 'come_back';
  return at === 'this_machine' || at === to ? 'come_back' : 'lost';
}

/** From where people can respond to a message. */
export type RespondFrom = 'anywhere' | 'network' | 'nowhere';

/**
 * Tells from where people can respond over a channel. `answers`: what becomes of keys and replies there. Nobody
 * responds to a webhook.
 */
export function respondFrom(channel: ChannelKind, publicUrl: string, answers: Answers): RespondFrom {
  const reached = reachedFrom(publicUrl);
  const byLink = reached === 'this_machine' ? 'nowhere' : reached;
  switch (channel) {
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
