import type { Role } from '../domain/role.ts';
import { MEMBERS_MOST } from '../domain/sign-in.ts';
import { Member } from '../store/entities/member.ts';
import { newId } from '../store/id.ts';
import { newRowsOf, saveRows } from '../store/save-rows.ts';
import type { Pepper } from '../store/secret.ts';
import { personDigests } from '../store/statements/sign-in.ts';
import type { OpenAccount } from './change.ts';

/** Who becomes a member; the email in plain text. */
export interface NewMember {
  email: string;
  name: string;
  role: Role;
}

/** Adds a member, with an audit entry. Returns their id. */
export async function addMember(
  open: Pick<OpenAccount, 'client' | 'em' | 'accountId' | 'seal' | 'record'>,
  emailDigest: Buffer,
  doc: NewMember,
): Promise<string> {
  const { client, em, accountId, seal } = open;
  const id = newId();
  const row = { accountId, id, email: seal.seal(doc.email), emailDigest, name: doc.name, role: doc.role };
  await saveRows(client, em, [newRowsOf(Member, [row])]);
  const after = { ...doc, email: seal.seal(doc.email) };
  await open.record({ kind: 'member', thingId: id, name: doc.name, action: 'create', before: null, after });
  return id;
}

/** Returns the part before the `@`, for a member without a given name. */
export function nameIn(email: string): string {
  return email.trim().slice(0, 100).split('@')[0]!;
}

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
