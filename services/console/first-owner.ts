import { MEMBERS_MOST } from '../domain/sign-in.ts';
import { Member } from '../store/entities/member.ts';
import type { Pepper } from '../store/secret.ts';
import { personDigests } from '../store/statements/sign-in.ts';
import type { OpenAccount } from './change.ts';
import { addMember, nameIn } from './members.ts';

/**
 * Makes the owner's email a member, an owner, unless they are one already or there are as many as may be (DECISIONS.md
 * "Members and roles"). They are asked to confirm it later (invitation.ts `askOwners`).
 */
export async function addOwnerNamed(
  open: Pick<OpenAccount, 'client' | 'em' | 'accountId' | 'seal' | 'record'>,
  pepper: Pepper,
  ownerEmail: string,
): Promise<void> {
  const email = ownerEmail.trim().toLowerCase();
  if (email === '') return;
  const digests = personDigests(pepper, email);
  const members = await open.em.find(Member, { accountId: open.accountId }, { disableIdentityMap: true });
  if (members.length >= MEMBERS_MOST || members.some(one => digests.some(digest => digest.equals(one.emailDigest))))
    return;
  await addMember(open, digests[0]!, { email, name: nameIn(email), role: 'owner' });
}
