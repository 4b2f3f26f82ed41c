import { randomBytes } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { ListDevicesResponseSchema } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Channel } from '../channels/channel.ts';
import type { Devices, Subscription } from '../channels/devices.ts';
import { type ChangeOn, changeAccount, type OpenAccount } from '../configuration/change.ts';
import { addressedTo, verificationOf } from '../configuration/contact-channel.ts';
import { editOf } from '../configuration/edit.ts';
import { invalidFields } from '../configuration/errors.ts';
import { thingNamed } from '../configuration/no-such.ts';
import type { Stored } from '../configuration/resource.ts';
import {
  type ContactDoc,
  contact as contactResource,
  factsOf,
  withAddress,
} from '../configuration/resources/contact.ts';
import { contactActor } from '../domain/actor.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { reachedFrom } from '../process/public-address.ts';
import { qrCodeOf } from '../process/qr-code.ts';
import { clean } from '../process/text.ts';
import { ADDRESSES_MOST, WEB_PUSH_ADDRESS } from '../process/vocabulary.ts';
import type { AccountAccess } from '../rpc/auth.ts';
import { protoTime, timeAt } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import { newId } from '../store/id.ts';
import type { Seal } from '../store/seal.ts';
import type { Pepper } from '../store/secret.ts';
import {
  addDevice,
  type DeviceLink,
  findDeviceLink,
  keepDeviceLink,
  markPushConnected,
  readDevices,
  removeDevice,
  takeDeviceLink,
} from '../store/statements/device.ts';
import { memberEmail } from '../store/statements/member.ts';
import { tellOfDevice } from './devices.ts';
import { verify } from './verification.ts';

/** What makes devices ring for people. */
export interface RingingOn extends ChangeOn {
  pepper: Pepper;
  carriers: { devices: Devices };
  /** The carriers that carry something now. */
  channels: { readonly inUse: ReadonlySet<string>; byKind: Record<ChannelKind, Pick<Channel, 'send'>> };
  /** PUBLIC_URL, without trailing slash; null: none. */
  publicUrl(): string | null;
}

/** The address that a contact's devices are behind. */
const DEVICES = { channel: 'push', address: WEB_PUSH_ADDRESS } as const;

/** How long a link is good, in seconds: whoever gets it may be asleep. */
const LINK_GOOD_S = 24 * 60 * 60;

/** 32 letters, digits, hyphens and underscores, which nobody guesses. */
const CODE_BYTES = 24;
const CODE = /^[A-Za-z0-9_-]{32}$/;

/** How many devices ring for one person: each message goes to all. */
const DEVICES_MOST = 10;

/** How long the name of a device may be, in characters. */
const NAME_LENGTH = 60;

type Adding = 'ready' | 'no_carrier' | 'not_https' | 'other_address';

/** Tells whether a device of a contact can be added. */
function addingTo(on: Pick<RingingOn, 'channels' | 'publicUrl'>, { channels }: ContactDoc): Adding {
  if (!on.channels.inUse.has('web-push')) return 'no_carrier';
  if (!isSecure(on.publicUrl())) return 'not_https';
  const push = channels.filter(({ channel }) => channel === 'push');
  const isThere = push.some(({ address }) => address === WEB_PUSH_ADDRESS);
  return isThere || push.length < ADDRESSES_MOST.push ? 'ready' : 'other_address';
}

/** Browsers subscribe over a line that nobody can alter, or on their own machine. */
function isSecure(publicUrl: string | null): publicUrl is string {
  return publicUrl !== null && (publicUrl.startsWith('https:') || reachedFrom(publicUrl) === 'this_machine');
}

/** Returns the devices of a contact, and whether one can be added. */
export async function listDevices(
  on: RingingOn,
  access: AccountAccess,
  request: { contactId: string },
): Promise<MessageInitShape<typeof ListDevicesResponseSchema>> {
  const { accountId } = access;
  const contact = await thingNamed(
    { em: on.orm.em.fork(), accountId, seal: on.seal },
    contactResource,
    request.contactId,
  );
  const stored = await readDevices(on.pool, { accountId, contactId: contact.id });
  return {
    devices: stored.map(({ id, name, createdAt, lastSentAt, lastFault }) => ({
      ...{ id, name, lastFault: lastFault ?? '' },
      since: protoTime(createdAt),
      ...timeAt('lastSentAt', lastSentAt),
    })),
    adding: addingTo(on, contact.doc),
    isCaller: await isOwn(on, access, contact),
  };
}

/**
 * Makes the link that makes a browser ring for a contact (DECISIONS.md "Whose devices ring"). The one before ends. `for_themselves`: a member
 * asks for their own. Throws FAILED_PRECONDITION.
 */
export async function makeDeviceLink(
  on: RingingOn,
  access: AccountAccess,
  { contactId }: { contactId: string },
  who: 'for_anybody' | 'for_themselves',
) {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const expiresAt = await changeAccount(on, access, async open => {
    const { accountId, client } = open;
    const contact = await thingNamed(open, contactResource, contactId);
    const { id, doc } = contact;
    if (who === 'for_themselves' && !(await isOwn(on, access, contact)))
      throw new ConnectError(say().codes.notYourself(doc.name), Code.FailedPrecondition);
    const adding = addingTo(on, doc);
    if (adding !== 'ready') throw new ConnectError(say().codes.noDevice(adding, doc.name), Code.FailedPrecondition);
    const before = contactResource.sealed!(doc, open.seal);
    // Who made it: whoever opens it is alerted in the contact's name.
    await open.record({
      kind: 'contact',
      thingId: id,
      name: doc.name,
      action: 'update',
      before,
      after: { ...before, deviceLink: 'made' },
    });
    return keepDeviceLink(client, on.pepper, { accountId, contactId: id }, { code, goodS: LINK_GOOD_S });
  });
  const url = `${on.publicUrl()}/ring/${code}`;
  return { url, expiresAt: protoTime(expiresAt), qr: qrCodeOf(url) };
}

/** Tells whether a caller is a contact: a member whose email address is the contact's verified one. */
async function isOwn(
  on: RingingOn,
  { accountId, actor }: AccountAccess,
  contact: Stored<ContactDoc>,
): Promise<boolean> {
  const email = contact.doc.channels.find(({ channel }) => channel === 'email');
  if (actor.memberId === undefined || email === undefined) return false;
  if (verificationOf(contact, email) !== 'verified') return false;
  const sealed = await memberEmail(on.pool, accountId, actor.memberId);
  return sealed !== null && on.seal.open(sealed).toLowerCase() === email.address.toLowerCase();
}

/** A link, with whom it is for. */
export interface OpenedLink {
  link: DeviceLink;
  contact: Stored<ContactDoc>;
}

/** Returns what a link is for, whether it is still good or not; null: there is none. */
export async function deviceLinkOf(on: RingingOn, code: string): Promise<OpenedLink | null> {
  const link = CODE.test(code) ? await findDeviceLink(on.pool, on.pepper, code) : null;
  if (link === null) return null;
  const { accountId, contactId } = link;
  try {
    const at = { em: on.orm.em.fork(), accountId, seal: on.seal };
    return { link, contact: await thingNamed(at, contactResource, contactId) };
  } catch (error) {
    if (ConnectError.from(error).code === Code.NotFound) return null;
    throw error;
  }
}

/**
 * Makes the browser that opened a link a device of its contact, whose address is verified by that: the browser subscribed where the button was
 * pressed. Their other ways are told, and a test message goes out. Returns what became of both; null: the link is none, or over. Throws
 * INVALID_ARGUMENT, FAILED_PRECONDITION.
 */
export async function addDeviceByLink(
  on: RingingOn,
  code: string,
  { name: called, ...subscription }: Subscription & { name: string },
): Promise<{ outcome: 'added' | 'known'; problem: string } | null> {
  const opened = await deviceLinkOf(on, code);
  if (opened?.link.state !== 'good') return null;
  const refused = on.carriers.devices.refusalOf(subscription);
  if (refused !== null) throw invalidFields([refused]);
  const name = clean(called, NAME_LENGTH) || 'Browser';
  const { accountId, contactId } = opened.link;
  const actor = contactActor(opened.contact.doc);
  const added = await changeAccount(on, { accountId, actor }, async open => {
    const link = await findDeviceLink(open.client, on.pepper, code);
    if (link?.state !== 'good') return null;
    const contact = await connected(on, open, contactId);
    const of = { accountId, contactId };
    const all = await readDevices(open.client, of);
    const device = { id: newId(), name, subscription: open.seal.seal(JSON.stringify(subscription)) };
    const { endpoint } = subscription;
    const same = all.find(one => endpointOf(open.seal, one) === endpoint)?.id ?? '';
    const { slot } = factsOf(contact, DEVICES)!;
    const { is, id } = await addDevice(open.client, on.pepper, of, { ...device, endpoint, same, slot });
    if (is === 'new' && all.length >= DEVICES_MOST)
      throw new ConnectError(say().codes.tooManyDevices(DEVICES_MOST), Code.FailedPrecondition);
    await takeDeviceLink(open.client, of);
    await markPushConnected(open.client, of, slot);
    if (verificationOf(contact, DEVICES) !== 'verified') await verify(on.pepper, open, { ...of, ...DEVICES }, contact);
    await record(open, contact, { deviceAdded: name });
    if (is === 'new') await tellOfDevice(open.client, of, 'device_added', name);
    return { id, outcome: is === 'new' ? ('added' as const) : is, doc: contact.doc, at: open.now.getTime() };
  });
  if (added === null) return null;
  on.nudge();
  const to = { ...addressedTo(added.doc, accountId, added.at), contactId };
  const test = await on.channels.byKind.push.send(WEB_PUSH_ADDRESS, { ...to, purpose: 'drill', at: added.at });
  // It goes to all of them: what counts here is the one that was added.
  const known = (await readDevices(on.pool, { accountId, contactId })).find(one => one.id === added.id);
  const problem = known === undefined ? say().codes.deviceGone : (known.lastFault ?? '');
  return { outcome: added.outcome, problem: problem === '' && 'reason' in test ? test.reason : problem };
}

/** Returns where a device's push service takes messages; empty: it cannot be opened. */
function endpointOf(seal: Seal, { subscription }: { subscription: string }): string {
  try {
    return (JSON.parse(seal.open(subscription)) as Subscription).endpoint;
  } catch {
    return '';
  }
}

/** Gives a contact the address that their devices are behind, beside those of channel `push` that they have, and has it used. */
async function connected(on: RingingOn, open: OpenAccount, contactId: string): Promise<Stored<ContactDoc>> {
  const before = await thingNamed(open, contactResource, contactId);
  const adding = addingTo(on, before.doc);
  if (adding !== 'ready')
    throw new ConnectError(say().codes.noDevice(adding, before.doc.name), Code.FailedPrecondition);
  const push = { ...DEVICES, disabledReason: '' };
  const { channels } = before.doc;
  const after = channels.some(({ address }) => address === WEB_PUSH_ADDRESS)
    ? { ...before.doc, channels: channels.map(one => (one.address === WEB_PUSH_ADDRESS ? push : one)) }
    : withAddress(before.doc, push)!;
  await open.write([editOf(contactResource, before.id, before, after)]);
  return thingNamed(open, contactResource, contactId);
}

/** Removes a device of a contact. Throws NOT_FOUND. Returns the contact as it is then. */
export async function dropDevice(
  on: RingingOn,
  access: AccountAccess,
  request: { contactId: string; deviceId: string },
): Promise<Stored<ContactDoc>> {
  return changeAccount(on, access, async open => {
    const contact = await thingNamed(open, contactResource, request.contactId);
    const of = { accountId: open.accountId, contactId: contact.id };
    const gone = await removeDevice(open.client, of, request.deviceId);
    if (gone === null) throw new ConnectError(say().codes.noSuchDevice(contact.doc.name), Code.NotFound);
    await record(open, contact, { deviceRemoved: gone.name });
    await tellOfDevice(open.client, of, 'device_gone', gone.name);
    return thingNamed(open, contactResource, contact.id);
  });
}

async function record(
  open: OpenAccount,
  { id, doc }: Stored<ContactDoc>,
  what: { deviceAdded: string } | { deviceRemoved: string },
): Promise<void> {
  const before = contactResource.sealed!(doc, open.seal);
  await open.record({
    kind: 'contact',
    thingId: id,
    name: doc.name,
    action: 'update',
    before,
    after: { ...before, ...what },
  });
}
