import { createHash, timingSafeEqual } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PageSchema } from '../../gen/tocsin/incident/v1/page_pb.ts';
import { type ChangeOn, changeAccount } from '../configuration/change.ts';
import { verificationOf } from '../configuration/contact-channel.ts';
import { readOne } from '../configuration/read.ts';
import type { Stored } from '../configuration/resource.ts';
import { type ContactDoc, contact as contactResource } from '../configuration/resources/contact.ts';
import { contactActor } from '../domain/actor.ts';
import { CHANNELS } from '../domain/delivery.ts';
import { STRANGERS_NAME_LENGTH, VERIFICATION_LINK_GOOD_MS } from '../domain/verification.ts';
import { type Pepper, underEach } from '../store/secret.ts';
import { type OwnedChannel, readCodes } from '../store/statements/verification.ts';
import { languageFor } from '../words/language.ts';
import { named } from '../words/names.ts';
import { verify } from './verification.ts';

/**
 * A link does what a code does (DECISIONS.md "Whose answer verifies an address"): whoever gets messages there presses a button.
 * Nothing is stored of it. It names the address and when it ends, and its signature covers both, so that it never verifies
 * another address.
 */

const MINUTE_MS = 60_000;
const SIGNATURE_BYTES = 12;

/**
 * Account, contact, the minute in which it ends, mark, signature, channel: at the end stands a letter, as phones cut signs off. The mark
 * is ours whatever the address is, so that nobody has the database asked by making links up.
 */
const TOKEN = /^([a-z0-9]{32})([a-z0-9]{32})([a-z0-9]{6})([A-Za-z0-9_-]{6})([A-Za-z0-9_-]{16})([a-z]+)$/;
const MARK_LENGTH = 6;

/** What a token names. */
interface Claim extends OwnedChannel {
  endsAtMinute: number;
  mark: string;
  signature: Buffer;
}

/** An address that a good link asks about. */
interface Asked {
  claim: Claim;
  address: string;
  contact: Stored<ContactDoc>;
  accountName: string;
}

type Page = MessageInitShape<typeof PageSchema>;

/** What links about addresses need. `publicUrl`: without trailing slash; null: none. */
export interface VerificationLinksOn extends ChangeOn {
  pepper: Pepper;
  publicUrl(): string | null;
}

/** The links that ask whether an address is somebody's. */
export interface VerificationLinks {
  /** Returns the link for a message to this address; null if this deployment has no public address. `now`: milliseconds since 1970. */
  urlOf(of: OwnedChannel, address: string, now: number): string | null;
  /** Returns the page of a link; null if it is none, has ended, or the address is another one by now. */
  pageOf(token: string): Promise<Page | null>;
  /** Verifies the address, and returns what came of it; null like pageOf. Pressing twice changes nothing. */
  confirm(token: string): Promise<'verified' | 'already_verified' | null>;
}

export function createVerificationLinks(on: VerificationLinksOn): VerificationLinks {
  const signaturesOf = ({ accountId, contactId, channel }: OwnedChannel, endsAtMinute: number, address: string) =>
    underEach(on.pepper, `verification link ${accountId} ${contactId} ${channel} ${endsAtMinute} ${address}`).map(
      digest => digest.subarray(0, SIGNATURE_BYTES),
    );

  const marksOf = ({ accountId, contactId, channel }: OwnedChannel, endsAtMinute: number) =>
    underEach(on.pepper, `verification mark ${accountId} ${contactId} ${channel} ${endsAtMinute}`).map(digest =>
      digest.toString('base64url').slice(0, MARK_LENGTH),
    );

  /** Returns the address that the link asks about; null if it has ended. */
  function asking(claim: Claim, { doc }: Stored<ContactDoc>, now: number): string | null {
    if (now >= claim.endsAtMinute * MINUTE_MS) return null;
    const found = doc.channels.find(({ channel, address }) => {
      if (channel !== claim.channel) return false;
      const signed = signaturesOf(claim, claim.endsAtMinute, address);
      return signed.some(signature => timingSafeEqual(signature, claim.signature));
    });
    return found?.address ?? null;
  }

  async function askedBy(token: string): Promise<Asked | null> {
    const claim = claimOf(token);
    if (claim === null || !marksOf(claim, claim.endsAtMinute).includes(claim.mark)) return null;
    const { accountId, contactId } = claim;
    const contact = await readOne({ em: on.orm.em.fork(), accountId, seal: on.seal }, contactResource, contactId);
    if (contact === null) return null;
    const { now, accountName } = await readCodes(on.pool, claim);
    const address = asking(claim, contact, now.getTime());
    return address === null ? null : { claim, address, contact, accountName };
  }

  return {
    urlOf(of, address, now) {
      const url = on.publicUrl();
      if (url === null) return null;
      const endsAtMinute = Math.ceil((now + VERIFICATION_LINK_GOOD_MS) / MINUTE_MS);
      const [signature] = signaturesOf(of, endsAtMinute, address);
      const ends = endsAtMinute.toString(36).padStart(6, '0');
      const [mark] = marksOf(of, endsAtMinute);
      return `${url}/i/${of.accountId}${of.contactId}${ends}${mark}${signature!.toString('base64url')}${of.channel}`;
    },
    async pageOf(token) {
      const asked = await askedBy(token);
      return asked === null ? null : pageOf(asked);
    },
    async confirm(token) {
      const asked = await askedBy(token);
      if (asked === null) return null;
      const { claim, contact } = asked;
      return changeAccount(on, { accountId: claim.accountId, actor: contactActor(contact.doc) }, async open => {
        const { em, accountId, seal, now } = open;
        // What was read before the lock may have changed since.
        const contact = await readOne({ em, accountId, seal }, contactResource, claim.contactId);
        const address = contact === null ? null : asking(claim, contact, now.getTime());
        if (contact === null || address === null) return null;
        if (verificationOf(contact, { ...claim, address }) === 'verified') return 'already_verified';
        await verify(on.pepper, open, { ...claim, address }, contact);
        return 'verified';
      });
    },
  };
}

function claimOf(token: string): Claim | null {
  const [, accountId = '', contactId = '', ends = '', mark = '', signature = '', word = ''] = TOKEN.exec(token) ?? [];
  const channel = CHANNELS.find(kind => kind === word);
  if (channel === undefined) return null;
  return {
    ...{ accountId, contactId, channel },
    endsAtMinute: Number.parseInt(ends, 36),
    mark,
    signature: Buffer.from(signature, 'base64url'),
  };
}

/** Writes it in the contact's language. What an account calls itself is short here: it may be a stranger's. */
function pageOf({ claim, address, contact, accountName }: Asked): Page {
  const { words } = languageFor(contact.doc.locale);
  const { verification, page: said, labels } = words;
  const account = named(accountName, words, STRANGERS_NAME_LENGTH);
  const is = verificationOf(contact, { channel: claim.channel, address });
  const page: Page = {
    language: words.language,
    title: is === 'verified' ? verification.thanks : verification.title(account),
    environment: 'verification',
    state: is === 'verified' ? 'acknowledged' : 'open',
    status: is === 'verified' ? verification.confirmed(account) : verification.asked(account),
    facts: is === 'verified' ? [] : [{ label: labels.todo, value: verification.todo }],
    acknowledgeLabel: is === 'verified' ? '' : verification.yes,
    you: said.you(named(contact.doc.name, words, STRANGERS_NAME_LENGTH)),
    offline: said.offline,
  };
  return { ...page, print: createHash('sha256').update(JSON.stringify(page)).digest('base64url').slice(0, 22) };
}
