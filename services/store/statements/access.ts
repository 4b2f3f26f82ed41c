import type { TokenKind } from '../../domain/actor.ts';
import type { Role } from '../../domain/role.ts';
import { SESSION } from '../../domain/sign-in.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { inOrder } from './credential.ts';

/** A console token, or the token that a session was created with. */
export interface HeldToken {
  id: string;
  /** Null for the operator's token. */
  accountId: string | null;
  kind: TokenKind;
  label: string;
}

/** What a person may do in one account. */
export interface Membership {
  accountId: string;
  accountName: string;
  memberId: string;
  name: string;
  role: Role;
  /** Whether their last use of the account was recorded within the last minute. */
  seen: 'noted' | 'due';
}

/** The party a secret authenticates: the holder of a token, or a person. */
export interface Holder {
  token: HeldToken | null;
  /** When the token expired; null if it has not. */
  endedAt: Date | null;
  /** Null if the secret is the token itself. */
  session: { id: string; seen: 'noted' | 'due' } | null;
  /** The digest of a person's email; null for a token. */
  person: Buffer | null;
  /** In the order of the accounts' creation; empty for a token. */
  memberships: Membership[];
}

const SEEN_DUE = `tocsin_now() - interval '${SESSION.seenEveryS} seconds'`;

/** Does not check the secret's format: the operator may have chosen CONSOLE_TOKEN. */
const holdersStatement: Statement<Holder & { n: number }> = {
  name: 'find_holders',
  text: `
SELECT d.n::int AS n,
  json_build_object('id', c.id, 'accountId', c.account_id, 'kind', c.kind, 'label', c.label) AS token,
  CASE WHEN c.expires_at <= tocsin_now() THEN c.expires_at END AS "endedAt",
  NULL::json AS session, NULL::bytea AS person, '[]'::json AS memberships
FROM unnest($1::bytea[]) WITH ORDINALITY AS d (digest, n)
JOIN console_token c ON c.digest = d.digest AND c.revoked_at IS NULL
UNION ALL
SELECT d.n::int, CASE WHEN c.id IS NULL THEN NULL
    ELSE json_build_object('id', c.id, 'accountId', c.account_id, 'kind', c.kind, 'label', c.label) END,
  NULL,
  json_build_object('id', s.id, 'seen', CASE WHEN s.last_seen_at < ${SEEN_DUE} THEN 'due' ELSE 'noted' END),
  s.person, coalesce(m.memberships, '[]')
FROM unnest($1::bytea[]) WITH ORDINALITY AS d (digest, n)
JOIN console_session s ON s.digest = d.digest AND s.expires_at > tocsin_now()
LEFT JOIN console_token c ON c.digest = s.token_digest AND c.revoked_at IS NULL
  AND (c.expires_at IS NULL OR c.expires_at > tocsin_now())
LEFT JOIN LATERAL (
  SELECT json_agg(json_build_object('accountId', m.account_id, 'accountName', a.name, 'memberId', m.id, 'name', m.name,
    'role', m.role, 'seen', CASE WHEN m.last_seen_at >= ${SEEN_DUE} THEN 'noted' ELSE 'due' END) ORDER BY a.seq) AS memberships
  FROM member m JOIN account a ON a.id = m.account_id WHERE m.email_digest = s.person
) m ON true
WHERE c.id IS NOT NULL OR m.memberships IS NOT NULL`,
};

/** Returns the parties that secrets with these digests authenticate, in the same order; null for nobody. */
export async function findHolders(db: Connection, digests: readonly Buffer[]): Promise<(Holder | null)[]> {
  return inOrder(await run(db, holdersStatement, [digests]), digests);
}

/** Cuts a user agent to the length we store: it may be of any length. */
export function shownAgent(agent: string): string {
  return agent.slice(0, 200);
}

const seenStatement: Statement<never> = {
  name: 'note_seen',
  text: `
WITH used AS (
  UPDATE console_session SET last_seen_at = tocsin_now(), address = $2, agent = $3,
    expires_at = tocsin_now() + interval '${SESSION.goodDays} days'
  WHERE id = $1
)
UPDATE member SET last_seen_at = tocsin_now(), confirmed_at = coalesce(confirmed_at, tocsin_now())
WHERE account_id = $4 AND id = $5`,
};

/**
 * Records that a session is used now, and for which account and member if one is named: whoever uses an account has shown
 * that the address they signed in with is theirs.
 */
export async function noteSeen(
  db: Connection,
  sessionId: string,
  from: { address: string; agent: string },
  member: Pick<Membership, 'accountId' | 'memberId'> | null,
): Promise<void> {
  const { accountId = null, memberId = null } = member ?? {};
  await run(db, seenStatement, [sessionId, from.address, shownAgent(from.agent), accountId, memberId]);
}
