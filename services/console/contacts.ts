import type { ServiceImpl } from '@connectrpc/connect';
import type { Contact, ContactService } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import { CODES_OF_ACCOUNT } from '../domain/verification.ts';
import { withAccess } from '../rpc/auth.ts';
import { timeAt } from '../rpc/proto-time.ts';
import { createRateLimit } from '../rpc/rate-limit.ts';
import type { ConsoleOn } from './console.ts';
import { createCrud } from './crud.ts';
import { listOrAbsent, orAbsent } from './messages.ts';
import type { Stored } from './resource.ts';
import { type ChannelFacts, type ContactDoc, contact as resource } from './resources/contact.ts';
import { takeCode } from './verification.ts';
import { type CodesOn, sendCode } from './verification-send.ts';

/** People who can be alerted (DECISIONS.md "Contact"). */
export function createContactService(
  on: ConsoleOn & Pick<CodesOn, 'channels' | 'carriers'>,
): ServiceImpl<typeof ContactService> {
  const sending: CodesOn = { ...on, limit: createRateLimit(CODES_OF_ACCOUNT) };
  const asked = withAccess(on.store, on.pepper);
  const contacts = createCrud(on, { resource, kept: ['channels'], givenBy, view });
  return {
    async createContact({ contact }, context) {
      const { thing, findings } = await contacts.create(contact, context);
      return { contact: thing, findings };
    },
    getContact: async ({ contactId }, context) => ({ contact: await contacts.get(contactId, context) }),
    async listContacts(request, context) {
      const { things, nextPageToken } = await contacts.list(request, context);
      return { contacts: things, nextPageToken };
    },
    async updateContact({ contact, updateMask }, context) {
      const { thing, findings } = await contacts.update({ message: contact, mask: updateMask }, context);
      return { contact: thing, findings };
    },
    deleteContact: ({ contactId, version }, context) => contacts.remove({ named: contactId, version }, context),
    sendVerificationCode: asked((request, who) => sendCode(sending, who, request)),
    verifyChannel: asked(async (request, who) => ({ contact: view(await takeCode(on, who, request)) })),
  };
}

function givenBy({ key, name, locale, timeZone, voice, channels }: Contact) {
  return {
    key: orAbsent(key),
    name,
    locale: orAbsent(locale),
    timeZone: orAbsent(timeZone),
    voice: orAbsent(voice),
    channels: listOrAbsent(
      channels.map(({ channel, address, disabledReason }) => ({ channel, address, disabledReason })),
    ),
  };
}

function view({ id, version, doc, facts }: Stored<ContactDoc>) {
  const known = facts.channels as ChannelFacts;
  const channels = doc.channels.map(one => ({
    ...one,
    ...timeAt('verifiedAt', known[one.channel]?.verifiedAt),
    ...timeAt('lastDeliveredAt', known[one.channel]?.lastDeliveredAt),
  }));
  return { id, version, ...doc, channels };
}
