import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import {
  type Contact,
  ContactService,
  type CreateChatLinkRequest,
  type CreateChatLinkResponseSchema,
  type CreateDeviceLinkResponseSchema,
  type ListDevicesResponseSchema,
  type SendVerificationCodeRequest,
  type SendVerificationCodeResponseSchema,
  type VerifyChannelRequest,
} from '../../gen/tocsin/console/v1/contacts_pb.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { type Means, wouldReach } from '../domain/reach.ts';
import { type AccountAccess, withAccess } from '../rpc/auth.ts';
import { timeAt } from '../rpc/proto-time.ts';
import type { Connection } from '../store/statement.ts';
import type { ConsoleOn } from './console.ts';
import { reachableOf } from './contact-channel.ts';
import { createCrud, crudMethods } from './crud.ts';
import { listOrAbsent, orAbsent } from './messages.ts';
import { readMeans } from './plan-coverage.ts';
import type { Stored } from './resource.ts';
import { type ContactDoc, factsOf, contact as resource } from './resources/contact.ts';

/** How somebody proves that an address is theirs (readiness/). */
export interface Verifying {
  /** Sends a code to a channel of a contact. */
  sendCode(
    who: AccountAccess,
    request: SendVerificationCodeRequest,
  ): Promise<MessageInitShape<typeof SendVerificationCodeResponseSchema>>;
  /** Makes the link that connects a contact's chat. */
  linkChat(
    who: AccountAccess,
    request: CreateChatLinkRequest,
  ): Promise<MessageInitShape<typeof CreateChatLinkResponseSchema>>;
  /** Makes the link that makes a browser ring for a contact. */
  linkDevice(
    who: AccountAccess,
    request: { contactId: string },
    whose: 'for_anybody' | 'for_themselves',
  ): Promise<MessageInitShape<typeof CreateDeviceLinkResponseSchema>>;
  listDevices(
    who: AccountAccess,
    request: { contactId: string },
  ): Promise<MessageInitShape<typeof ListDevicesResponseSchema>>;
  /** Removes a device, and returns the contact as it is then. */
  dropDevice(who: AccountAccess, request: { contactId: string; deviceId: string }): Promise<Stored<ContactDoc>>;
  /** Takes a code, and returns the contact as it is then. */
  takeCode(who: AccountAccess, request: VerifyChannelRequest): Promise<Stored<ContactDoc>>;
}

/** People who can be alerted (DECISIONS.md "Contact"). `carriers`: the channels that have one. */
export function createContactService(
  deps: ConsoleOn & { carriers: readonly ChannelKind[] },
  verifying: Verifying,
): ServiceImpl<typeof ContactService> {
  const asked = withAccess(deps.store, deps.pepper);
  const viewer = async (client: Connection, accountId: string) => {
    const { means, at } = await readMeans(client, accountId, deps.carriers);
    return (stored: Stored<ContactDoc>) => view(stored, means, at.getTime());
  };
  const contacts = createCrud(deps, { resource, kept: ['channels', 'showNumber'], givenBy, viewer });
  return {
    ...crudMethods(ContactService, contacts),
    sendVerificationCode: asked((request, who) => verifying.sendCode(who, request)),
    createChatLink: asked((request, who) => verifying.linkChat(who, request)),
    createDeviceLink: asked((request, who) => verifying.linkDevice(who, request, 'for_anybody')),
    createOwnDeviceLink: asked(async (request, who) => {
      const { url, expiresAt } = await verifying.linkDevice(who, request, 'for_themselves');
      return { url: url ?? '', expiresAt };
    }),
    listDevices: asked((request, who) => verifying.listDevices(who, request)),
    removeDevice: asked(async (request, who) => {
      const left = await verifying.dropDevice(who, request);
      return { contact: (await viewer(deps.store.pool, who.accountId))(left) };
    }),
    verifyChannel: asked(async (request, who) => {
      const verified = await verifying.takeCode(who, request);
      return { contact: (await viewer(deps.store.pool, who.accountId))(verified) };
    }),
  };
}

function givenBy({ key, name, locale, timeZone, voice, showNumber, channels }: Contact) {
  return {
    key: orAbsent(key),
    name,
    locale: orAbsent(locale),
    timeZone: orAbsent(timeZone),
    voice: orAbsent(voice),
    showNumber,
    channels: listOrAbsent(
      channels.map(({ channel, address, disabledReason }) => ({ channel, address, disabledReason })),
    ),
  };
}

/** `at` in milliseconds since 1970. */
function view(stored: Stored<ContactDoc>, means: Means, at: number) {
  const { id, version, doc } = stored;
  const channels = doc.channels.map(one => {
    const known = factsOf(stored, one);
    // Of several addresses each is judged by itself.
    const alone = reachableOf({ ...stored, doc: { ...doc, channels: [one] } });
    return {
      ...one,
      ...timeAt('verifiedAt', known?.verifiedAt),
      ...timeAt('lastDeliveredAt', known?.lastDeliveredAt),
      ...timeAt('provenAt', known?.provenAt),
      provenIn: known?.provenIn ?? '',
      ring: known?.ring ?? '',
      reach: wouldReach(alone, one.channel, means, at),
    };
  });
  return { id, version, ...doc, channels };
}
