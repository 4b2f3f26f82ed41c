import type { Addressed } from '../domain/alert.ts';
import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import { type Means, type Reach, type Reachable, wouldReach } from '../domain/reach.ts';
import { say } from '../rpc/reader.ts';
import { newId } from '../store/id.ts';
import { invalidField, invalidFields } from './errors.ts';
import type { Stored } from './resource.ts';
import type { ChannelFacts, ContactDoc } from './resources/contact.ts';

/**
 * Returns the channel that a request names. Throws INVALID_ARGUMENT if the contact has none of that kind. A channel
 * that is switched off counts: trying it shows its owner whether it works again.
 */
export function channelOf({ name, channels }: ContactDoc, word: string): ContactDoc['channels'][number] {
  const found = channels.find(({ channel }) => channel === word);
  if (found !== undefined) return found;
  const has = CHANNELS.filter(kind => channels.some(({ channel }) => channel === kind));
  throw invalidField('channel', say().accepts.channelOf(name, has), word);
}

/** Like channelOf, for a code. Throws INVALID_ARGUMENT for a webhook too: nobody could read a code there. */
export function verifiableChannelOf(contact: ContactDoc, word: string): ContactDoc['channels'][number] {
  const found = channelOf(contact, word);
  if (found.channel !== 'webhook') return found;
  const { mismatch, verifiableChannel, webhookNeedsNone } = say().accepts;
  const problem = mismatch(verifiableChannel, '"webhook"', webhookNeedsNone);
  throw invalidFields([{ field: 'channel', problem }]);
}

/** Returns how a contact can be reached, as store/statements/policy.ts `PEOPLE` copies it, with plain addresses. */
export function reachableOf({ doc, facts }: Stored<ContactDoc>): Reachable {
  const known = facts.channels as ChannelFacts;
  const used = doc.channels.filter(({ disabledReason }) => disabledReason === '');
  return {
    addresses: used.map(({ channel, address }) => {
      return { channel, address, verification: known[channel]?.verifiedAt ? 'verified' : 'not_verified' };
    }),
    disabled: doc.channels.filter(one => !used.includes(one)).map(({ channel }) => channel),
  };
}

/**
 * Tells whether a drill or a code could go to an address: they try what alerts leave out, to show whether it works, so
 * it may be unverified or switched off.
 */
export function canBeTried(
  { channel, address }: { channel: ChannelKind; address: string },
  means: Means,
  at: number,
): Reach {
  return wouldReach({ addresses: [{ channel, address }] }, channel, means, at);
}

/** Tells whether a channel of the contact is verified. */
export function verificationOf({ facts }: Stored<ContactDoc>, channel: ChannelKind): 'verified' | 'not_verified' {
  return (facts.channels as ChannelFacts)[channel]?.verifiedAt ? 'verified' : 'not_verified';
}

/** Returns what every message that belongs to no incident has. `at`: when it was requested, milliseconds since 1970. */
export function addressedTo(
  { name, locale, timeZone, voice }: Pick<ContactDoc, 'name' | 'locale' | 'timeZone' | 'voice'>,
  accountId: string,
  at: number,
): Addressed {
  return {
    deliveryId: newId(),
    accountId,
    attempt: 1,
    firstTriedAt: at,
    contactName: name,
    locale,
    timeZone,
    voice,
  };
}
