import { z } from 'zod';
import { verifiedWhenStored } from '../../domain/verification.ts';
import { channelAddress } from '../addresses.ts';
import { channel, key, list, locale, name, oneLine, onlyOnce, takes, timeZone } from '../fields.ts';
import type { Resource } from '../resource.ts';

const aVoice = takes(
  'the name of a voice such as "Polly.Vicki": letters, digits, dots, hyphens, underscores, at most 60',
);

const contactChannel = z
  .strictObject({ channel, address: z.string(takes('an address')), disabledReason: oneLine(200).default('') })
  .superRefine(channelAddress)
  .transform(given => ({ ...given, address: given.address.trim() }));

const schema = z.strictObject({
  key,
  name,
  locale: locale.default('en'),
  timeZone: timeZone.default('UTC'),
  voice: z
    .string(aVoice)
    .regex(/^[A-Za-z0-9._-]{0,60}$/, aVoice)
    .default(''),
  channels: list(contactChannel, 0, 5, 'channels')
    .superRefine(onlyOnce(({ channel }) => channel))
    .default([]),
});

export type ContactDoc = z.infer<typeof schema>;

/** What the product knows about each channel: the fact `channels` of a stored contact. Times as ISO text. */
export type ChannelFacts = Record<string, { verifiedAt: string | null; lastDeliveredAt: string | null }>;

/** A person who can be told (DECISIONS.md "Contact"). Their addresses are sealed in the table and in the audit. */
export const contact: Resource<ContactDoc> = {
  kind: 'contact',
  word: 'contact',
  schema,
  nameOf: doc => doc.name,
  references: () => [],
  select: `
SELECT t.id, t.seq, t.version,
  json_build_object('key', t.key, 'name', t.name, 'locale', t.locale, 'timeZone', t.time_zone,
    'voice', t.voice, 'channels', coalesce((
    SELECT json_agg(json_build_object('channel', c.channel, 'address', c.address,
      'disabledReason', coalesce(c.disabled_reason, '')) ORDER BY c.position)
    FROM contact_channel c WHERE c.account_id = t.account_id AND c.contact_id = t.id), '[]')) AS doc,
  json_build_object('channels', coalesce((
    SELECT json_object_agg(c.channel, json_build_object('verifiedAt', c.verified_at, 'lastDeliveredAt', c.last_delivered_at))
    FROM contact_channel c WHERE c.account_id = t.account_id AND c.contact_id = t.id), '{}')) AS facts
FROM contact t WHERE t.account_id = $1`,
  opened: (doc, seal) => withAddresses(doc, seal.open),
  sealed: (doc, seal) => withAddresses(doc, seal.seal),
  rows({ accountId, id, doc, before, seal, vouched }) {
    const own = { account_id: accountId, contact_id: id };
    // Written anew, so that an address that changed is no longer a verified one, and a code for the old one is gone.
    const removed = (before?.channels ?? []).filter(
      was => !doc.channels.some(now => now.channel === was.channel && now.address === was.address),
    );
    return {
      removed: { contact_channel: removed.map(({ channel }) => ({ ...own, channel })) },
      saved: {
        contact: [
          {
            account_id: accountId,
            id,
            key: doc.key,
            name: doc.name,
            locale: doc.locale,
            time_zone: doc.timeZone,
            voice: doc.voice,
          },
        ],
        contact_channel: doc.channels.map(({ channel, address, disabledReason }, position) => ({
          ...own,
          channel,
          position,
          address: seal.seal(address),
          disabled_reason: disabledReason || null,
          verification: verifiedWhenStored(channel, vouched),
        })),
      },
    };
  },
  gone: ({ accountId, id }) => ({ removed: { contact: [{ account_id: accountId, id }] } }),
};

function withAddresses(doc: ContactDoc, change: (address: string) => string): ContactDoc {
  return { ...doc, channels: doc.channels.map(one => ({ ...one, address: change(one.address) })) };
}
