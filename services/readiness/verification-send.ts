import { randomInt } from 'node:crypto';
import { Code, ConnectError } from '@connectrpc/connect';
import type { SendVerificationCodeRequest } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import { countSpend, refuseOverCap } from '../accounts/spend.ts';
import type { Channel } from '../channels/channel.ts';
import { type ChangeOn, changeAccount, type OpenAccount } from '../configuration/change.ts';
import { addressedTo, canBeTried, codeAddressOf, verificationOf } from '../configuration/contact-channel.ts';
import { thingNamed } from '../configuration/no-such.ts';
import { DRILL_OUTCOMES, detailOf } from '../configuration/outcome.ts';
import { readMeans } from '../configuration/plan-coverage.ts';
import { contact as contactResource, factsOf } from '../configuration/resources/contact.ts';
import type { Verification } from '../domain/alert.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { CODE_GOOD_MS, maySend, withThisOne } from '../domain/verification.ts';
import type { RateLimit } from '../limits/times.ts';
import type { AccountAccess } from '../rpc/auth.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import type { Pepper } from '../store/secret.ts';
import {
  addressDigest,
  codeDigests,
  keepCode,
  keepSent,
  readCodes,
  readSent,
} from '../store/statements/verification.ts';
import { countUnverified } from './unverified-guard.ts';
import type { VerificationLinks } from './verification-link.ts';

/** What sending codes needs. */
export interface CodesOn extends ChangeOn {
  /** KEY_PEPPER, under which codes are digested. */
  pepper: Pepper;
  channels: { byKind: Record<ChannelKind, Pick<Channel, 'send'>> };
  carriers: readonly ChannelKind[];
  links: Pick<VerificationLinks, 'urlOf'>;
  /** CODES_OF_ACCOUNT. */
  limit: RateLimit;
}

/** A stored code, ready to be sent. */
interface Ready {
  kind: 'ready';
  channel: ChannelKind;
  address: string;
  message: Verification;
  expiresAt: Date;
}

/**
 * Sends a code to one channel of a contact, through the same channel as alerts. The code is stored before it is sent,
 * under the lock that also guards addresses, so it can never verify another address. A code whose sending failed may
 * have arrived nevertheless and is valid. Only the operator gets to see the text, and only if it was sent to nobody.
 */
export async function sendCode(deps: CodesOn, access: AccountAccess, request: SendVerificationCodeRequest) {
  const kept = await changeAccount(deps, access, open => makeCode(deps, open, request));
  if (kept.kind === 'not_sent') return { outcome: kept.outcome, detail: kept.detail };
  const { channel, address, message, expiresAt } = kept;
  const outcome = await deps.channels.byKind[channel].send(address, message);
  await countSpend(deps.pool, access.accountId, channel, outcome);
  const isOut = outcome.kind === 'sent' || outcome.kind === 'delivered' || outcome.kind === 'kept';
  return {
    outcome: DRILL_OUTCOMES[outcome.kind],
    detail: detailOf(outcome),
    keptMessage: outcome.kind === 'kept' && access.token === 'operator' ? outcome.message : '',
    ...(isOut && { expiresAt: protoTime(expiresAt) }),
  };
}

async function makeCode(
  deps: CodesOn,
  open: OpenAccount,
  request: SendVerificationCodeRequest,
): Promise<Ready | { kind: 'not_sent'; outcome: string; detail: string }> {
  const { accountId, client } = open;
  const contact = await thingNamed(open, contactResource, request.contactId);
  const { channel, address } = codeAddressOf(contact, request);
  if (verificationOf(contact, { channel, address }) === 'verified')
    return { kind: 'not_sent', outcome: 'already_verified', detail: '' };
  const of = { accountId, contactId: contact.id, channel };
  const codes = await readCodes(client, of);
  const now = codes.now.getTime();
  const { means } = await readMeans(client, accountId, deps.carriers);
  const tried = canBeTried({ channel, address }, means, now);
  if (tried === 'plan_required') {
    return { kind: 'not_sent', outcome: DRILL_OUTCOMES.obstacle, detail: tried };
  }
  await refuseOverCap(client, accountId, channel);
  const digest = addressDigest(deps.pepper, of, address);
  const sent = (await readSent(client, accountId, digest)).map(at => at.getTime());
  const verdict = maySend(sent, now);
  if (verdict.kind === 'too_many') throw new ConnectError(say().codes.tooMany(verdict), Code.ResourceExhausted);
  const pass = deps.limit.take(accountId, now);
  if (pass.kind === 'too_many')
    throw new ConnectError(say().codes.tooManyOfAccount(pass.retryAfterS), Code.ResourceExhausted);
  await countUnverified(client, deps.pepper, accountId, { contact: contact.doc, channel, address });

  const code = randomInt(1_000_000).toString().padStart(6, '0');
  const expiresAt = new Date(now + CODE_GOOD_MS);
  await keepCode(
    client,
    { ...of, slot: factsOf(contact, { channel, address })!.slot },
    {
      digest: codeDigests(deps.pepper, of, code)[0]!,
      expiresAt,
    },
  );
  const withThis = withThisOne(sent, now).map(at => new Date(at));
  await keepSent(client, accountId, digest, withThis);
  const { accountName } = codes;
  const to = { ...addressedTo(contact.doc, accountId, now), contactId: contact.id };
  return {
    kind: 'ready',
    channel,
    address,
    message: {
      ...to,
      ...{ purpose: 'verification', code, accountName, at: now },
      confirmUrl: deps.links.urlOf(of, address, now),
    },
    expiresAt,
  };
}
