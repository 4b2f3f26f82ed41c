import type { Addressed } from '../domain/alert.ts';
import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import { type Means, type Reach, type Reachable, wouldReach } from '../domain/reach.ts';
import { viaOf, WEB_PUSH_ADDRESS } from '../process/vocabulary.ts';
import { say } from '../rpc/reader.ts';
import { newId } from '../store/id.ts';
import { invalidField, invalidFields } from './errors.ts';
import type { Stored } from './resource.ts';
import { type ContactDoc, factsOf } from './resources/contact.ts';

/** What a request names of a contact. `address`: which of the channel's addresses; empty: the first. */
export interface NamedChannel {
  channel: string;
  address: string;
}

/**
 * Returns the address that a request names. Throws INVALID_ARGUMENT if the contact has none of that kind. One that is switched off counts:
 * trying it shows its owner whether it works again.
 */
export function channelOf(
  { name, channels }: ContactDoc,
  { channel: word, address }: NamedChannel,
): ContactDoc['channels'][number] {
  const ofChannel = channels.filter(({ channel }) => channel === word);
  const found = address === '' ? ofChannel[0] : ofChannel.find(one => one.address === address.trim());
  if (found !== undefined) return found;
  if (ofChannel.length > 0) {
    const { addressOf, mismatch, notThere } = say().accepts;
    throw invalidFields([{ field: 'address', problem: mismatch(addressOf(name, word), notThere) }]);
  }
  const has = CHANNELS.filter(kind => channels.some(({ channel }) => channel === kind));
  throw invalidField('channel', say().accepts.channelOf(name, has), word);
}

/** Like channelOf, for a code. Throws INVALID_ARGUMENT for a webhook too: nobody could read a code there. */
export function verifiableChannelOf(contact: ContactDoc, named: NamedChannel): ContactDoc['channels'][number] {
  const found = channelOf(contact, named);
  if (found.channel !== 'webhook') return found;
  const { mismatch, verifiableChannel, webhookNeedsNone } = say().accepts;
  const problem = mismatch(verifiableChannel, '"webhook"', webhookNeedsNone);
  throw invalidFields([{ field: 'channel', problem }]);
}

/**
 * Returns the address that whoever names only a channel means a code for: the first that still needs one, of those that a code verifies
 * and alerts use; else the first of these, else the first of all.
 */
export function codeAddressOf(stored: Stored<ContactDoc>, named: NamedChannel): ContactDoc['channels'][number] {
  const first = verifiableChannelOf(stored.doc, named);
  if (named.address !== '') return first;
  const used = stored.doc.channels.filter(
    one => one.channel === first.channel && one.disabledReason === '' && one.address !== WEB_PUSH_ADDRESS,
  );
  return used.find(one => verificationOf(stored, one) === 'not_verified') ?? used[0] ?? first;
}

/** Returns how a contact can be reached, as store/statements/policy.ts `PEOPLE` copies it, with plain addresses. */
export function reachableOf(stored: Stored<ContactDoc>): Reachable {
  const { doc } = stored;
  const used = doc.channels.filter(({ disabledReason }) => disabledReason === '');
  return {
    addresses: used.map(({ channel, address }) => {
      return { channel, via: viaOf(address), address, verification: verificationOf(stored, { channel, address }) };
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
  return wouldReach({ addresses: [{ channel, via: viaOf(address), address }] }, channel, means, at);
}

/** Tells whether an address of the contact is verified. */
export function verificationOf(
  stored: Stored<ContactDoc>,
  of: { channel: ChannelKind; address: string },
): 'verified' | 'not_verified' {
  return factsOf(stored, of)?.verifiedAt ? 'verified' : 'not_verified';
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
