import { randomBytes } from 'node:crypto';
import { Code, ConnectError } from '@connectrpc/connect';
import type { CreateChatLinkRequest } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Bot } from '../channels/channel.ts';
import { type ChangeOn, changeAccount, type OpenAccount } from '../configuration/change.ts';
import { verificationOf } from '../configuration/contact-channel.ts';
import { editOf } from '../configuration/edit.ts';
import { thingNamed } from '../configuration/no-such.ts';
import { readOne } from '../configuration/read.ts';
import type { Stored } from '../configuration/resource.ts';
import {
  type ContactDoc,
  contact as contactResource,
  factsOf,
  withAddress,
} from '../configuration/resources/contact.ts';
import { contactActor } from '../domain/actor.ts';
import { CODE_GOOD_MS } from '../domain/verification.ts';
import { ADDRESSES_MOST, TELEGRAM_PREFIX } from '../process/vocabulary.ts';
import type { AccountAccess } from '../rpc/auth.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import type { Pepper } from '../store/secret.ts';
import {
  findChatLink,
  keepChatLink,
  type Linked,
  markConnected,
  readChatLink,
  takeChatLink,
} from '../store/statements/chat-link.ts';
import { verify } from './verification.ts';

/** 32 letters, digits, hyphens and underscores: what a link of Telegram may carry, and nobody guesses. */
const CODE_BYTES = 24;

/**
 * Makes the link that connects a contact's chat (DECISIONS.md "A chat is connected"). The one before ends. Throws FAILED_PRECONDITION where there is
 * no bot, UNAVAILABLE where its name is not known.
 */
export async function makeChatLink(
  deps: ChangeOn & { pepper: Pepper; bots: ReadonlyMap<string, Bot> },
  access: AccountAccess,
  { contactId }: CreateChatLinkRequest,
) {
  const bot = [...deps.bots.values()].find(one => one.startUrl !== undefined);
  if (bot?.startUrl === undefined) throw new ConnectError(say().codes.noBot, Code.FailedPrecondition);
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const link = await bot.startUrl(code);
  if (link.kind === 'fault')
    throw new ConnectError(say().codes.botUnknown(say().faults(link.problem)), Code.Unavailable);
  const expiresAt = await changeAccount(deps, access, async open => {
    const { accountId, client } = open;
    const { id, doc } = await thingNamed(open, contactResource, contactId);
    // Who made it: whoever opens it takes the place of the address before.
    const before = contactResource.sealed!(doc, open.seal);
    const after = { ...before, chatLink: 'made' };
    await open.record({ kind: 'contact', thingId: id, name: doc.name, action: 'update', before, after });
    return keepChatLink(client, deps.pepper, { accountId, contactId: id }, { code, goodS: CODE_GOOD_MS / 1_000 });
  });
  return { url: link.url, expiresAt: protoTime(expiresAt) };
}

/**
 * Connects whoever opened such a link: their address becomes the contact's chat, verified, in place of the one before. Returns the name of the
 * account and that address, if it was verified; null, if the link is over or nobody's. The same person may open it twice: what they said may come again.
 */
export async function takeChatOf(
  deps: ChangeOn & { pepper: Pepper },
  code: string,
  address: string,
): Promise<{ account: string; replaced: string | null } | null> {
  const linked = await findChatLink(deps.pool, deps.pepper, code);
  const contact = linked === null ? null : await contactOf(deps, linked);
  if (linked === null || contact === null) return null;
  return changeAccount(deps, { accountId: linked.accountId, actor: contactActor(contact) }, async open => {
    const link = await readChatLink(open.client, deps.pepper, linked, code);
    if (link === null) return null;
    const contact = await thingNamed(open, contactResource, linked.contactId);
    const told = { account: link.accountName, replaced: null };
    if (link.state !== 'good') return isConnected(contact, address) ? told : null;
    await takeChatLink(open.client, linked);
    if (isConnected(contact, address)) return told;
    const replaced = replacedBy(contact.doc, address);
    await connect(deps.pepper, open, contact, { address, replaced });
    const connected = await thingNamed(open, contactResource, linked.contactId);
    await markConnected(open.client, linked, factsOf(connected, { channel: 'chat', address })!.slot);
    // The bot reaches nobody else, and another carrier's key may read like an id of somebody at Telegram.
    const isAtTelegram = replaced?.address.startsWith(TELEGRAM_PREFIX) && replaced.address !== address;
    const isTheirs = replaced !== null && isAtTelegram && verificationOf(contact, replaced) === 'verified';
    return { ...told, replaced: isTheirs ? replaced.address : null };
  });
}

/** Null: it is gone. */
async function contactOf({ orm, seal }: ChangeOn, { accountId, contactId }: Linked): Promise<ContactDoc | null> {
  const found = await readOne({ em: orm.em.fork(), accountId, seal }, contactResource, contactId);
  return found?.doc ?? null;
}

function isConnected(contact: Stored<ContactDoc>, address: string): boolean {
  const chat = contact.doc.channels.find(one => one.channel === 'chat' && one.address === address);
  return chat?.disabledReason === '' && verificationOf(contact, chat) === 'verified';
}

type Chat = ContactDoc['channels'][number];

/**
 * Returns whose place an address at Telegram takes: its own, else that of the one there, else of the last chat, where there is no room; null: it
 * is added.
 */
function replacedBy({ channels }: ContactDoc, address: string): Chat | null {
  const chats = channels.filter(({ channel }) => channel === 'chat');
  const same = chats.find(one => one.address === address);
  const there = same ?? chats.find(one => one.address.startsWith(TELEGRAM_PREFIX));
  return there ?? (chats.length < ADDRESSES_MOST.chat ? null : chats.at(-1)!);
}

async function connect(
  pepper: Pepper,
  open: OpenAccount,
  before: Stored<ContactDoc>,
  { address, replaced }: { address: string; replaced: Chat | null },
): Promise<void> {
  const chat = { channel: 'chat' as const, address, disabledReason: '' };
  const { doc } = before;
  const after =
    replaced === null
      ? withAddress(doc, chat)!
      : { ...doc, channels: doc.channels.map(one => (one === replaced ? chat : one)) };
  await open.write([editOf(contactResource, before.id, before, after)]);
  const of = { accountId: open.accountId, contactId: before.id, ...chat };
  await verify(pepper, open, of, await thingNamed(open, contactResource, before.id));
}
