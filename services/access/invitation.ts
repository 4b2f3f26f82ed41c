import type { PoolClient } from 'pg';
import type { ChangeOn } from '../configuration/change.ts';
import { DRILL_OUTCOMES, detailOf } from '../configuration/outcome.ts';
import type { Role } from '../domain/role.ts';
import { INVITATIONS_A_DAY } from '../domain/sign-in.ts';
import { newSecret, type Pepper, secretDigest } from '../store/secret.ts';
import { inTransaction } from '../store/statement.ts';
import { askUnasked, confirmOwners, type InvitedRow, markAsked } from '../store/statements/member.ts';
import { keepConfirmation } from '../store/statements/sign-in.ts';
import { lockUnverified } from '../store/statements/verification.ts';
import { addressedToMember, type MemberMailOn, signInUrl } from './member-mail.ts';

/** What inviting members needs. */
export interface InvitingOn extends MemberMailOn, Pick<ChangeOn, 'seal' | 'contactVerification'> {
  /** KEY_PEPPER, under which addresses and secrets are digested. */
  pepper: Pepper;
}

/** What became of the mail, as InviteMemberResponse names it. */
export interface InvitationSent {
  outcome: string;
  /** The mail server's own words if it refused. */
  detail: string;
}

/** How a member is invited. `by`: who does; null: it is not known. `locale` empty: the account's language. */
interface Inviting {
  by: string | null;
  locale: string;
}

/**
 * Tells a member by mail where to sign in, and asks an owner to confirm the address. An address gets three of these mails
 * a day whoever sends them, and nothing else before it is confirmed (DECISIONS.md "Last-line notices"). Null: they are no
 * member any more.
 */
export async function invite(
  deps: InvitingOn,
  member: { accountId: string; id: string },
  how: Inviting,
): Promise<InvitationSent | null> {
  if (deps.contactVerification === 'trusted') await confirmOwners(deps.pool, member.accountId);
  const row = await markAsked(deps.pool, member);
  return row === null ? null : sendInvitation(deps, row, how);
}

const NOT_SENT: InvitationSent = { outcome: 'temporary_fault', detail: '' };

/** How many owners are asked in one look. */
const AT_ONCE = 20;

/**
 * Asks owners who were never asked, of one account or of all (null), to confirm their address; where the operator trusts
 * all addresses (CONTACT_VERIFICATION), theirs count as confirmed instead. Returns the outcome of the first mail, null if
 * nobody was asked, and whether there may be more.
 */
export async function askOwners(
  deps: InvitingOn,
  accountId: string | null,
): Promise<{ first: InvitationSent | null; left: 'some' | 'none' }> {
  if (deps.contactVerification === 'trusted') {
    await confirmOwners(deps.pool, accountId);
    return { first: null, left: 'none' };
  }
  const rows = await askUnasked(deps.pool, accountId, AT_ONCE);
  const sent: InvitationSent[] = [];
  // One that cannot be written to, such as an address sealed with another key, keeps no other waiting.
  for (const row of rows) sent.push(await sendInvitation(deps, row, { by: null, locale: '' }).catch(() => NOT_SENT));
  return { first: sent[0] ?? null, left: rows.length === AT_ONCE ? 'some' : 'none' };
}

async function sendInvitation(deps: InvitingOn, row: InvitedRow, { by, locale }: Inviting): Promise<InvitationSent> {
  const { accountId, accountName, name, role, now, ownerLocale, timeZone } = row;
  const address = deps.seal.open(row.email);
  const link = await inTransaction(deps.pool, client => prepare(deps, client, row, address));
  if (link === 'held_back') return { outcome: link, detail: '' };
  const reader = { accountId, name, locale: locale || ownerLocale, timeZone };
  const outcome = await deps.email.send(address, {
    ...addressedToMember(reader, now.getTime()),
    purpose: 'invitation',
    accountName,
    by,
    role,
    ...link,
  });
  return { outcome: DRILL_OUTCOMES[outcome.kind], detail: detailOf(outcome) };
}

/** Counts the mail, and makes the link by which an owner confirms the address. */
async function prepare(
  deps: InvitingOn,
  client: PoolClient,
  { accountId, id, role, standing }: InvitedRow,
  address: string,
): Promise<{ signInUrl: string | null; confirmUrl: string | null } | 'held_back'> {
  const counted = await lockUnverified(client, deps.pepper, { channel: 'email', address }, 'invitations');
  if (counted.accounts.length >= INVITATIONS_A_DAY) return 'held_back';
  await counted.add(accountId);
  const publicUrl = deps.publicUrl();
  if (publicUrl === null || !asksToConfirm(role, standing))
    return { signInUrl: signInUrl(publicUrl), confirmUrl: null };
  const secret = newSecret('tcc');
  await keepConfirmation(client, secretDigest(deps.pepper, secret), { accountId, id });
  return { signInUrl: signInUrl(publicUrl), confirmUrl: `${publicUrl}/confirm#${secret}` };
}

/** Only owners are told anything, so only they are asked. */
function asksToConfirm(role: Role, standing: InvitedRow['standing']): boolean {
  return role === 'owner' && standing === 'not_confirmed';
}
