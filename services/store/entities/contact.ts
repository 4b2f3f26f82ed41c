import { defineEntity, p } from '@mikro-orm/core';
import type { ChannelKind } from '../../domain/delivery.ts';

/** A person who can be alerted. */
export const Contact = defineEntity({
  name: 'Contact',
  tableName: 'contact',
  properties: {
    accountId: p.text().primary(),
    id: p.text().primary(),
    seq: p.bigint('string').autoincrement(),
    /** The owner's own stable name for it; its id if none was chosen. */
    key: p.text().onCreate(({ id }: { id: string }) => id),
    name: p.text(),
    locale: p.text().default('en'),
    timeZone: p.text().default('UTC'),
    voice: p.text().default(''),
    /** Whether those alerted beside them may call them, and so see their number. */
    showNumber: p.boolean().default(false),
    version: p.integer().version(),
  },
});

/** One way to reach a contact. The address is sealed (seal.ts), so it is never readable in the database. */
export const ContactChannel = defineEntity({
  name: 'ContactChannel',
  tableName: 'contact_channel',
  properties: {
    accountId: p.text().primary(),
    contactId: p.text().primary(),
    channel: p.text().$type<ChannelKind>().primary(),
    /** Which of the channel's addresses it is, wherever it stands in the order. */
    slot: p.smallint().primary().default(0),
    position: p.integer(),
    address: p.text(),
    /** What the address begins with, where that says which carrier it belongs to. */
    via: p.text().default(''),
    verifiedAt: p.datetime().nullable(),
    /** When a link connected it; null: it was typed. */
    connectedAt: p.datetime().nullable(),
    disabledReason: p.text().nullable(),
    lastDeliveredAt: p.datetime().nullable(),
    /** When the person last answered over this address; null: never. */
    provenAt: p.datetime().nullable(),
    /** The incident in which they did. */
    provenIn: p.text().nullable(),
    /** Whether it rang aloud in that drill, as they said. */
    ring: p.text().$type<'aloud' | 'silent'>().nullable(),
  },
});
