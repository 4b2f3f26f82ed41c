import type { InferEntity } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { ChannelKind } from '../../domain/delivery.ts';
import { verifiedWhenStored } from '../../domain/verification.ts';
import { addressFrom } from '../../process/addresses.ts';
import { shown } from '../../process/text.ts';
import {
  ADDRESSES,
  ADDRESSES_MOST,
  ADDRESSES_OF_CONTACT,
  TELEGRAM_PREFIX,
  viaOf,
  WEB_PUSH_ADDRESS,
} from '../../process/vocabulary.ts';
import { say } from '../../rpc/reader.ts';
import { Contact, ContactChannel } from '../../store/entities/contact.ts';
import { rowsOf } from '../../store/save-rows.ts';
import type { Seal } from '../../store/seal.ts';
import { channel, key, list, locale, name, oneLine, switchOr, takes, timeZone } from '../fields.ts';
import type { Resource, Stored } from '../resource.ts';

const aVoice = takes(accepts => accepts.voice);

const contactChannel = z
  .strictObject({
    channel,
    address: z.string(takes(accepts => accepts.anAddress)),
    disabledReason: oneLine(200).default(''),
  })
  .superRefine(channelAddress)
  .transform(given => ({ ...given, address: addressFrom(given.channel, given.address) }));

const schema = z.strictObject({
  key,
  name,
  locale: locale.default('en'),
  timeZone: timeZone.default('UTC'),
  voice: z
    .string(aVoice)
    .regex(/^[A-Za-z0-9._-]{0,60}$/, aVoice)
    .default(''),
  showNumber: switchOr(false),
  channels: list(contactChannel, 0, ADDRESSES_OF_CONTACT, 'channels').superRefine(fewEnough).default([]),
});

export type ContactDoc = z.infer<typeof schema>;

/** What the product knows about one address of a contact. */
export type AddressFacts = Pick<
  InferEntity<typeof ContactChannel>,
  'slot' | 'verifiedAt' | 'connectedAt' | 'lastDeliveredAt' | 'provenAt' | 'provenIn' | 'ring'
>;

/** An address of a contact as its document has it. */
interface Address {
  channel: ChannelKind;
  address: string;
}

/** Returns what is known about an address of a stored contact; undefined: it has no such address. */
export function factsOf({ facts }: Pick<Stored<ContactDoc>, 'facts'>, of: Address): AddressFacts | undefined {
  return (facts.channels as Record<string, AddressFacts> | undefined)?.[nameOf(of)];
}

function nameOf({ channel, address }: Address): string {
  return `${channel} ${address}`;
}

/** A person who can be alerted (DECISIONS.md "Contact"). Their addresses are sealed in the table and in the audit. */
export const contact: Resource<ContactDoc, InferEntity<typeof Contact>> = {
  kind: 'contact',
  facts: 'of_doc',
  schema,
  nameOf: doc => doc.name,
  references: () => [],
  entity: Contact,
  living: {},
  async reader(parts, seal) {
    const stored = await parts(ContactChannel, 'contactId', { orderBy: { position: 'asc' } });
    return ({ id, key, name, locale, timeZone, voice, showNumber }) => {
      const channels = stored.get(id) ?? [];
      const said = channels.map(({ channel, address, disabledReason }) => ({
        channel,
        address: seal.open(address),
        disabledReason: disabledReason ?? '',
      }));
      const known = channels.map((one, at) => {
        const { slot, verifiedAt, connectedAt, lastDeliveredAt, provenAt, provenIn, ring } = one;
        const facts = { slot, verifiedAt, connectedAt, lastDeliveredAt, provenAt, provenIn, ring };
        return [nameOf(said[at]!), facts satisfies AddressFacts];
      });
      return {
        doc: { key, name, locale, timeZone, voice, showNumber, channels: said },
        facts: { channels: Object.fromEntries(known) },
      };
    };
  },
  sealed: (doc, seal) => withAddresses(doc, seal.seal),
  rows({ accountId, id, doc, before, known, seal, vouched, now }) {
    const own = { accountId, contactId: id };
    const { key, name, locale, timeZone, voice, showNumber } = doc;
    // Written as new rows, so that a changed address is neither verified nor proven, and a code for the old one is gone.
    const removed = (before?.channels ?? []).filter(was => !doc.channels.some(now => nameOf(now) === nameOf(was)));
    const slotOf = slotsOf(doc, { facts: known });
    const channels = doc.channels.map(({ channel, address, disabledReason }, position) => ({
      ...own,
      channel,
      slot: slotOf.get(nameOf({ channel, address }))!,
      position,
      address: seal.seal(address),
      via: viaOf(address),
      disabledReason: disabledReason || null,
      // Nobody's word makes a browser ring: it subscribes itself.
      verifiedAt: address !== WEB_PUSH_ADDRESS && verifiedWhenStored(channel, vouched) === 'verified' ? now : null,
    }));
    return {
      removed: [
        rowsOf(
          ContactChannel,
          removed.map(one => ({ ...own, channel: one.channel, slot: factsOf({ facts: known }, one)?.slot ?? 0 })),
        ),
      ],
      saved: [
        rowsOf(Contact, [{ accountId, id, key, name, locale, timeZone, voice, showNumber }]),
        rowsOf(ContactChannel, channels, ['verifiedAt']),
      ],
    };
  },
  remove: (em, accountId, ids) => em.nativeDelete(Contact, { accountId, id: { $in: ids } }),
};

/** Returns the slot of each address: an address keeps its own, and a new one takes the first that is free in its channel. */
function slotsOf({ channels }: ContactDoc, before: Pick<Stored<ContactDoc>, 'facts'>): ReadonlyMap<string, number> {
  const slots = new Map<string, number>();
  const taken = new Set<string>();
  const take = (of: Address, slot: number) => {
    slots.set(nameOf(of), slot);
    taken.add(`${of.channel} ${slot}`);
  };
  for (const of of channels) {
    const known = factsOf(before, of);
    if (known !== undefined) take(of, known.slot);
  }
  for (const of of channels.filter(one => !slots.has(nameOf(one)))) {
    let slot = 0;
    while (taken.has(`${of.channel} ${slot}`)) slot++;
    take(of, slot);
  }
  return slots;
}

/**
 * Returns a contact of a file with what a link connected, a chat or the devices that ring by web push, if the file names none of its kind, as far
 * as there is room, in its place: whoever wrote the file could not know it, and the same file applied again must not cut it off.
 */
export function withConnected(doc: ContactDoc, before: Stored<ContactDoc> | null): ContactDoc {
  if (before === null) return doc;
  const channels = [...doc.channels];
  for (const [at, one] of before.doc.channels.entries()) {
    const ofChannel = channels.filter(({ channel }) => channel === one.channel);
    const isNamed = ofChannel.some(({ address }) => viaOf(address) === viaOf(one.address));
    const isFull = ofChannel.length >= ADDRESSES_MOST[one.channel];
    if (factsOf(before, one)?.connectedAt && !isNamed && !isFull)
      channels.splice(placeIn(channels, one, before.doc.channels.slice(at + 1)), 0, one);
  }
  return channels.length === doc.channels.length ? doc : { ...doc, channels };
}

/**
 * Returns where an address goes back to: before the nearest one of its channel that followed it, else before the nearest of any channel, but behind
 * all others of its own.
 */
function placeIn(channels: readonly Address[], { channel }: Address, followers: readonly Address[]): number {
  const nearest = (among: readonly Address[]) => {
    const found = among.find(one => channels.some(kept => nameOf(kept) === nameOf(one)));
    return found === undefined ? -1 : channels.findIndex(kept => nameOf(kept) === nameOf(found));
  };
  const ofOwn = nearest(followers.filter(one => one.channel === channel));
  if (ofOwn !== -1) return ofOwn;
  const ofAny = nearest(followers);
  const behindOwn = channels.findLastIndex(one => one.channel === channel) + 1;
  return Math.max(ofAny === -1 ? channels.length : ofAny, behindOwn);
}

/** Returns a contact with an address more of a channel, behind those that it has there; null: there is no room. */
export function withAddress(doc: ContactDoc, added: ContactDoc['channels'][number]): ContactDoc | null {
  const there = doc.channels.filter(({ channel }) => channel === added.channel);
  if (there.length >= ADDRESSES_MOST[added.channel]) return null;
  const at = doc.channels.findLastIndex(({ channel }) => channel === added.channel);
  return { ...doc, channels: doc.channels.toSpliced(at === -1 ? doc.channels.length : at + 1, 0, added) };
}

/** Returns a contact from the audit with addresses in plain text. */
export function openedContact(doc: ContactDoc, seal: Seal): ContactDoc {
  return withAddresses(doc, seal.open);
}

function withAddresses(doc: ContactDoc, change: (address: string) => string): ContactDoc {
  return { ...doc, channels: doc.channels.map(one => ({ ...one, address: change(one.address) })) };
}

/** Reports addresses that stand twice, and those of a channel that has too many. */
function fewEnough(channels: readonly Address[], context: z.core.$RefinementCtx<readonly Address[]>): void {
  const { aSecondTime, eachOnce, mismatch, mostAddresses, oneMore } = say().accepts;
  for (const [at, of] of channels.entries()) {
    const before = channels.slice(0, at).filter(({ channel }) => channel === of.channel);
    const most = ADDRESSES_MOST[of.channel];
    if ((most === 1 && before.length > 0) || before.some(({ address }) => address === of.address)) {
      const got = aSecondTime(shown(of.channel));
      context.addIssue({ code: 'custom', message: mismatch(eachOnce, got), path: [at] });
    } else if (before.length >= most) {
      const message = mismatch(mostAddresses(of.channel, most), oneMore);
      context.addIssue({ code: 'custom', message, path: [at] });
    }
  }
}

/**
 * Adds an issue if the address does not fit its channel. The sentence quotes phone numbers and mail addresses, but no
 * URLs.
 */
function channelAddress(
  { channel, address }: { channel: ChannelKind; address: string },
  context: z.core.$RefinementCtx<unknown>,
): void {
  if (ADDRESSES[channel].fits(addressFrom(channel, address))) return;
  const { address: accepted, anotherUrl, chatHint, mismatch } = say().accepts;
  // A URL may contain the secret that gives access to it.
  const got = /^\w+:\/\//.test(address) ? anotherUrl : shown(address);
  const todo = channel === 'chat' ? chatHint(chatAs(address), shown(`${TELEGRAM_PREFIX}${address}`)) : '';
  context.addIssue({ code: 'custom', message: mismatch(accepted[channel], got, todo), path: ['address'] });
}

/** What somebody typed who does not know what an address of a chat looks like. */
function chatAs(typed: string): 'id' | 'name' | 'group' | 'other' {
  const plain = typed.replace(/^telegram:\s*/i, '');
  if (/^[1-9]\d{0,15}$/.test(plain)) return 'id';
  if (/^-\d+$/.test(plain)) return 'group';
  return /^(@|(https?:\/\/)?t\.me\/)/i.test(plain) ? 'name' : 'other';
}
