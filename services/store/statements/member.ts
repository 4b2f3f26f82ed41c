import type { Role } from '../../domain/role.ts';
import { type Connection, run, type Statement } from '../statement.ts';

const updateStatement: Statement<never> = {
  name: 'update_member',
  text: 'UPDATE member SET name = $3, role = $4, version = version + 1 WHERE account_id = $1 AND id = $2',
};

/** Updates what an owner may change about a member. */
export async function updateMemberRow(
  db: Connection,
  { accountId, id }: { accountId: string; id: string },
  { name, role }: { name: string; role: Role },
): Promise<void> {
  await run(db, updateStatement, [accountId, id, name, role]);
}

const endHomelessStatement: Statement<never> = {
  name: 'end_homeless_sessions',
  text: 'DELETE FROM console_session WHERE person = $1 AND NOT EXISTS (SELECT FROM member WHERE email_digest = $1)',
};

/**
 * Ends the sessions of a person who is no longer a member anywhere, so that a later invitation does not revive them.
 */
export async function endHomelessSessions(db: Connection, person: Buffer): Promise<void> {
  await run(db, endHomelessStatement, [person]);
}

/** A member about to be invited by mail, and their account. */
export interface InvitedRow {
  now: Date;
  accountId: string;
  accountName: string;
  ownerLocale: string;
  timeZone: string;
  id: string;
  name: string;
  role: Role;
  /** Sealed. */
  email: string;
  standing: 'confirmed' | 'not_confirmed';
}

const INVITED = `
SELECT tocsin_now() AS now, a.id AS "accountId", a.name AS "accountName", a.owner_locale AS "ownerLocale",
  a.owner_time_zone AS "timeZone", m.id, m.name, m.role, m.email,
  CASE WHEN m.confirmed_at IS NULL THEN 'not_confirmed' ELSE 'confirmed' END AS standing
FROM asked m JOIN account a ON a.id = m.account_id ORDER BY m.seq`;

const markAskedStatement: Statement<InvitedRow> = {
  name: 'mark_asked',
  text: `
WITH asked AS (UPDATE member SET asked_at = tocsin_now() WHERE account_id = $1 AND id = $2 RETURNING *)${INVITED}`,
};

/** Records that a member is invited now. Returns them; null if they are not there. */
export async function markAsked(
  db: Connection,
  { accountId, id }: { accountId: string; id: string },
): Promise<InvitedRow | null> {
  const [row] = await run(db, markAskedStatement, [accountId, id]);
  return row ?? null;
}

const askUnaskedStatement: Statement<InvitedRow> = {
  name: 'ask_unasked_owners',
  text: `
WITH asked AS (
  UPDATE member m SET asked_at = tocsin_now() FROM (
    SELECT account_id, id FROM member
    WHERE confirmed_at IS NULL AND role = 'owner' AND asked_at IS NULL AND ($1::text IS NULL OR account_id = $1)
    ORDER BY seq LIMIT $2 FOR UPDATE SKIP LOCKED
  ) u WHERE m.account_id = u.account_id AND m.id = u.id
  RETURNING m.*
)${INVITED}`,
};

/** Takes at most `most` owners, of one account or of all (null), who were never asked to confirm their address. */
export function askUnasked(db: Connection, accountId: string | null, most: number): Promise<InvitedRow[]> {
  return run(db, askUnaskedStatement, [accountId, most]);
}

const confirmOwnersStatement: Statement<never> = {
  name: 'confirm_owners',
  text: `
UPDATE member SET confirmed_at = tocsin_now()
WHERE confirmed_at IS NULL AND role = 'owner' AND ($1::text IS NULL OR account_id = $1)`,
};

/** Marks the addresses of all owners as confirmed, of one account or of all (null): the operator trusts them. */
export async function confirmOwners(db: Connection, accountId: string | null): Promise<void> {
  await run(db, confirmOwnersStatement, [accountId]);
}

const confirmPersonStatement: Statement<never> = {
  name: 'confirm_person',
  text: `
UPDATE member SET confirmed_at = tocsin_now()
WHERE email_digest = $1 AND confirmed_at IS NULL AND ($2::text IS NULL OR account_id = $2)`,
};

/** Somebody has shown that an address is theirs: it is confirmed, in one account or wherever they are a member (null). */
export async function confirmPerson(db: Connection, person: Buffer, accountId: string | null): Promise<void> {
  await run(db, confirmPersonStatement, [person, accountId]);
}

/** How many owners an account has, and how many of them have a confirmed address. */
export interface OwnersNow {
  owners: number;
  confirmed: number;
}

const ownersStatement: Statement<OwnersNow> = {
  name: 'owners_of_account',
  text: `
SELECT count(*)::int AS owners, count(confirmed_at)::int AS confirmed FROM member WHERE account_id = $1 AND role = 'owner'`,
};

/** Returns how many owners an account has. */
export async function readOwners(db: Connection, accountId: string): Promise<OwnersNow> {
  const [owners] = await run(db, ownersStatement, [accountId]);
  return owners!;
}

const emailStatement: Statement<{ email: string }> = {
  name: 'email_of_member',
  text: 'SELECT email FROM member WHERE account_id = $1 AND id = $2',
};

/** Returns the email address of a member, sealed; null: there is none any more. */
export async function memberEmail(db: Connection, accountId: string, memberId: string): Promise<string | null> {
  return (await run(db, emailStatement, [accountId, memberId]))[0]?.email ?? null;
}
