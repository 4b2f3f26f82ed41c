import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { OWNER_EMAIL } from '../domain/actor.ts';
import { MEMBERS_MOST } from '../domain/sign-in.ts';
import { Member } from '../store/entities/member.ts';
import type { Seal } from '../store/seal.ts';
import type { Pepper } from '../store/secret.ts';
import { run, type Statement } from '../store/statement.ts';
import { personDigests } from '../store/statements/sign-in.ts';
import { type ChangeOn, changeAccount, type OpenAccount } from './change.ts';
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

const withoutStatement: Statement<{ id: string; ownerEmail: string }> = {
  name: 'accounts_without_member',
  text: `
SELECT a.id, a.owner_email AS "ownerEmail" FROM account a
WHERE a.owner_email IS NOT NULL AND NOT EXISTS (SELECT FROM member m WHERE m.account_id = a.id) ORDER BY a.seq`,
};

/**
 * Does so for all accounts: those created before there were members have none. Safe to run repeatedly and in parallel.
 */
export async function addFirstOwners(
  on: Pick<ChangeOn, 'bus' | 'nudge' | 'contactVerification'> & {
    pool: Pool;
    orm: MikroORM;
    seal: Seal;
    pepper: Pepper;
  },
): Promise<void> {
  for (const { id: accountId, ownerEmail } of await run(on.pool, withoutStatement, [])) {
    const email = on.seal.open(ownerEmail);
    await changeAccount(on, { accountId, actor: OWNER_EMAIL }, open => addOwnerNamed(open, on.pepper, email));
  }
}
