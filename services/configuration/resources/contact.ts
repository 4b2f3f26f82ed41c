import type { InferEntity } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { ChannelKind } from '../../domain/delivery.ts';
import { verifiedWhenStored } from '../../domain/verification.ts';
import { addressFrom } from '../../process/addresses.ts';
import { shown } from '../../process/text.ts';
import { ADDRESSES, CHANNELS, TELEGRAM_PREFIX, WEB_PUSH_ADDRESS } from '../../process/vocabulary.ts';
import { say } from '../../rpc/reader.ts';
import { Contact, ContactChannel } from '../../store/entities/contact.ts';
import { rowsOf } from '../../store/save-rows.ts';
import type { Seal } from '../../store/seal.ts';
import { channel, key, list, locale, name, oneLine, onlyOnce, switchOr, takes, timeZone } from '../fields.ts';
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
  channels: list(contactChannel, 0, CHANNELS.length, 'channels')
    .superRefine(onlyOnce(({ channel }) => channel))
    .default([]),
});

export type ContactDoc = z.infer<typeof schema>;

/** What the product knows about each channel: the fact `channels` of a stored contact. */
export type ChannelFacts = Record<
  string,
  Pick<
    InferEntity<typeof ContactChannel>,
    'verifiedAt' | 'connectedAt' | 'lastDeliveredAt' | 'provenAt' | 'provenIn' | 'ring'
  >
>;

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
      const known = channels.map(({ channel, verifiedAt, connectedAt, lastDeliveredAt, provenAt, provenIn, ring }) => [
        channel,
        { verifiedAt, connectedAt, lastDeliveredAt, provenAt, provenIn, ring },
      ]);
      return {
        doc: { key, name, locale, timeZone, voice, showNumber, channels: said },
        facts: { channels: Object.fromEntries(known) },
      };
    };
  },
  sealed: (doc, seal) => withAddresses(doc, seal.seal),
  rows({ accountId, id, doc, before, seal, vouched, now }) {
    const own = { accountId, contactId: id };
    const { key, name, locale, timeZone, voice, showNumber } = doc;
    // Written as new rows, so that a changed address is neither verified nor proven, and a code for the old one is gone.
    const removed = (before?.channels ?? []).filter(
      was => !doc.channels.some(now => now.channel === was.channel && now.address === was.address),
    );
    const channels = doc.channels.map(({ channel, address, disabledReason }, position) => ({
      ...own,
      channel,
      position,
      address: seal.seal(address),
      disabledReason: disabledReason || null,
      // Nobody's word makes a browser ring: it subscribes itself.
      verifiedAt: address !== WEB_PUSH_ADDRESS && verifiedWhenStored(channel, vouched) === 'verified' ? now : null,
    }));
    return {
      removed: [
        rowsOf(
          ContactChannel,
          removed.map(({ channel }) => ({ ...own, channel })),
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

/**
 * Returns a contact of a file with what a link connected, a chat or the devices that ring by web push, if the file names none of that channel:
 * whoever wrote the file could not know it, and the same file applied again must not cut it off.
 */
export function withConnected(doc: ContactDoc, before: Stored<ContactDoc> | null): ContactDoc {
  const facts = before?.facts.channels as ChannelFacts | undefined;
  const connected = (before?.doc.channels ?? []).filter(
    ({ channel }) => facts?.[channel]?.connectedAt && !doc.channels.some(one => one.channel === channel),
  );
  return connected.length === 0 ? doc : { ...doc, channels: [...doc.channels, ...connected] };
}

/** Returns a contact from the audit with addresses in plain text. */
export function openedContact(doc: ContactDoc, seal: Seal): ContactDoc {
  return withAddresses(doc, seal.open);
}

function withAddresses(doc: ContactDoc, change: (address: string) => string): ContactDoc {
  return { ...doc, channels: doc.channels.map(one => ({ ...one, address: change(one.address) })) };
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
