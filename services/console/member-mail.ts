import { Code, ConnectError } from '@connectrpc/connect';
import type { Pool } from 'pg';
import type { MailChannel } from '../channels/channel.ts';
import type { Actor } from '../domain/actor.ts';
import type { Addressed } from '../domain/alert.ts';
import type { Role } from '../domain/role.ts';
import { mayReach, UNVERIFIED_A_DAY } from '../domain/verification.ts';
import { say } from '../rpc/reader.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';
import { lockUnverified } from '../store/statements/verification.ts';
import { addressedTo } from './contact-channel.ts';
import { DRILL_OUTCOMES, detailOf } from './drill.ts';

/** What sending mail to members needs. */
export interface MemberMailOn {
  pool: Pool;
  email: Pick<MailChannel, 'send'>;
  /** The public URL of the console, without trailing slash; null if unknown. */
  publicUrl(): string | null;
}

/** A new member; `locale` empty: the account's language. */
export interface Invited {
  accountId: string;
  by: Actor;
  email: string;
  name: string;
  role: Role;
  locale: string;
}

interface AccountTold {
  now: Date;
  accountName: string;
  ownerLocale: string;
  timeZone: string;
}

const accountStatement: Statement<AccountTold> = {
  name: 'invitation_of_account',
  text: `
SELECT tocsin_now() AS now, name AS "accountName", owner_locale AS "ownerLocale", owner_time_zone AS "timeZone"
FROM account WHERE id = $1`,
};

/** Tells a new member where to sign in. Returns the outcome of the mail as InviteMemberResponse names it. */
export async function sendInvitation(on: MemberMailOn, { accountId, by, email, name, role, locale }: Invited) {
  const [account] = await run(on.pool, accountStatement, [accountId]);
  const { now, accountName, ownerLocale, timeZone } = account!;
  const reader = { accountId, name, locale: locale || ownerLocale, timeZone };
  const outcome = await on.email.send(email, {
    ...addressedToMember(reader, now.getTime()),
    purpose: 'invitation',
    accountName,
    by: by.name,
    role,
    signInUrl: signInUrl(on.publicUrl()),
  });
  return { outcome: DRILL_OUTCOMES[outcome.kind], detail: detailOf(outcome) };
}

/** Returns where people sign in; null if unknown. */
export function signInUrl(publicUrl: string | null): string | null {
  return publicUrl === null ? null : `${publicUrl}/sign-in`;
}

/** Returns the common fields of a mail to a member. `at`: milliseconds since 1970. */
export function addressedToMember(
  { accountId, ...member }: { accountId: string; name: string; locale: string; timeZone: string },
  at: number,
): Addressed & { at: number } {
  return { ...addressedTo({ ...member, voice: '' }, accountId, at), at };
}

/**
 * Counts an invitation over all accounts, like drills and codes to an unverified address (DECISIONS.md "Unverified
 * addresses"). Call it inside a transaction. Throws RESOURCE_EXHAUSTED.
 */
export async function refuseStranger(on: Connection, pepper: string, accountId: string, email: string): Promise<void> {
  const { accounts, add } = await lockUnverified(on, pepper, 'email', email);
  if (mayReach(accounts, accountId) === 'address_limit') {
    const { most, ofAccount } = UNVERIFIED_A_DAY;
    throw new ConnectError(say().refusals.invitationLimit(most, ofAccount), Code.ResourceExhausted);
  }
  await add(accountId);
}
