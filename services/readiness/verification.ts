import { timingSafeEqual } from 'node:crypto';
import { Code, ConnectError } from '@connectrpc/connect';
import type { VerifyChannelRequest } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import { type ChangeOn, changeAccount, type OpenAccount } from '../configuration/change.ts';
import { codeAddressOf, verificationOf } from '../configuration/contact-channel.ts';
import { invalidField } from '../configuration/errors.ts';
import { thingNamed } from '../configuration/no-such.ts';
import type { Stored } from '../configuration/resource.ts';
import { type ContactDoc, contact as contactResource, factsOf } from '../configuration/resources/contact.ts';
import { digitsOf, type GuessVerdict, judgeGuess, MOST_GUESSES } from '../domain/verification.ts';
import type { AccountAccess } from '../rpc/auth.ts';
import { say } from '../rpc/reader.ts';
import type { Pepper } from '../store/secret.ts';
import { confirmPerson } from '../store/statements/member.ts';
import { personOf } from '../store/statements/sign-in.ts';
import {
  type CodesNow,
  codeDigests,
  countGuess,
  markVerified,
  type OwnedChannel,
  readCodes,
} from '../store/statements/verification.ts';

/**
 * Checks a code that a contact passes on, and returns the contact as it is afterwards. Each guess is counted under the
 * account's lock, so that five is the limit even for parallel ones. Throws FAILED_PRECONDITION. Changes nothing for a
 * channel that is verified already.
 */
export async function takeCode(
  deps: ChangeOn & { pepper: Pepper },
  access: AccountAccess,
  request: VerifyChannelRequest,
): Promise<Stored<ContactDoc>> {
  const code = digitsOf(request.code);
  if (code === null) {
    throw invalidField('code', say().accepts.code, request.code);
  }
  const { verdict, left, channel, contact } = await changeAccount(deps, access, async open => {
    const { accountId, client } = open;
    const contact = await thingNamed(open, contactResource, request.contactId);
    const needing = codeAddressOf(contact, { channel: request.channel, address: '' });
    const { channel } = needing;
    const of = { accountId, contactId: contact.id, channel };
    const codes = await readCodes(client, of);
    const addresses = contact.doc.channels.filter(one => one.channel === channel);
    const asked = addresses.find(one => factsOf(contact, one)?.slot === codes.last?.slot);
    if (verificationOf(contact, asked ?? needing) === 'verified')
      return { verdict: 'right' as const, left: 0, channel, contact };
    const verdict = judge(deps.pepper, of, codes, code);
    if (verdict === 'wrong') await countGuess(client, of);
    if (verdict === 'right') await verify(deps.pepper, open, { ...of, address: asked!.address }, contact);
    // A refusal must not roll back the count, so throw it after the commit.
    const left = MOST_GUESSES - (codes.last?.guesses ?? 0) - 1;
    return { verdict, left, channel, contact: await thingNamed(open, contactResource, contact.id) };
  });
  if (verdict === 'right') return contact;
  const said = verdict === 'wrong' && left === 0 ? 'too_many_guesses' : verdict;
  throw new ConnectError(
    say().codes.notVerified(said, { name: contact.doc.name, channel, left }),
    Code.FailedPrecondition,
  );
}

function judge(pepper: Pepper, of: OwnedChannel, { last, now }: CodesNow, code: string): GuessVerdict {
  if (last === null) return judgeGuess(null, 'different', now.getTime());
  const same = codeDigests(pepper, of, code).some(digest => timingSafeEqual(digest, last.digest));
  const guess = same ? 'same' : 'different';
  return judgeGuess({ expiresAt: last.expiresAt.getTime(), guesses: last.guesses }, guess, now.getTime());
}

/** Marks an address as verified, by whichever way its person answered, and writes it to the audit. */
export async function verify(
  pepper: Pepper,
  open: OpenAccount,
  of: OwnedChannel & { address: string },
  contact: Stored<ContactDoc>,
): Promise<void> {
  const { client, accountId } = open;
  const { id, doc } = contact;
  await markVerified(client, { ...of, slot: factsOf(contact, of)!.slot });
  const sealed = contactResource.sealed!(doc, open.seal);
  const asked = doc.channels.find(one => one.channel === of.channel && one.address === of.address);
  const taken = (verification: 'verified' | 'not_verified') => ({
    ...sealed,
    channels: sealed.channels.map((one, at) => (doc.channels[at] === asked ? { ...one, verification } : one)),
  });
  await open.record({
    kind: 'contact',
    thingId: id,
    name: doc.name,
    action: 'update',
    before: taken('not_verified'),
    after: taken('verified'),
  });
  if (of.channel !== 'email') return;
  // Of an owner too, who is not asked twice.
  await confirmPerson(client, await personOf(client, pepper, of.address), accountId);
}
