import type { TokenKind } from '../../domain/actor.ts';
import { PHONE_LINK_GOOD_S } from '../../domain/sign-in.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/*
 * Links by which a session signs in a second device. They stand among those to sign in (sign_in_link), as those of a token or of a
 * member, and their digest alone tells them apart: it is over the session as well, so that they end with it.
 */

/** The membership that a person's link stands for: in the account that is looked at, else the first. */
const makeStatement: Statement<{ expiresAt: Date }> = {
  name: 'make_phone_link',
  text: `
INSERT INTO sign_in_link (digest, token_digest, account_id, member_id, expires_at)
SELECT $1, s.token_digest, m.account_id, m.id, tocsin_now() + interval '${PHONE_LINK_GOOD_S} seconds'
FROM console_session s
LEFT JOIN LATERAL (
  SELECT o.account_id, o.id FROM member o WHERE o.email_digest = s.person ORDER BY (o.account_id = $3) DESC, o.seq LIMIT 1
) m ON true
WHERE s.id = $2 AND s.expires_at > tocsin_now() AND (s.token_digest IS NOT NULL OR m.id IS NOT NULL)
RETURNING expires_at AS "expiresAt"`,
};

/** Stores a link of a session. Returns when it expires; null if the session has ended. */
export async function keepPhoneLink(
  db: Connection,
  digest: Buffer,
  { sessionId, accountId }: { sessionId: string; accountId: string },
): Promise<Date | null> {
  const [link] = await run(db, makeStatement, [digest, sessionId, accountId]);
  return link?.expiresAt ?? null;
}

/** Whom a link signs in. */
export interface PhoneLink {
  person: Buffer | null;
  tokenDigest: Buffer | null;
  /** The first accounts that it gives access to. */
  accountNames: string[];
  /** The membership that it stands for; null for a token's. Its email is sealed. */
  member: { accountId: string; memberId: string; name: string; email: string; role: string } | null;
  /** The token of a session that was made with one. `accountId` null: the operator's. */
  token: { id: string; accountId: string | null; kind: TokenKind; label: string } | null;
}

const findStatement: Statement<PhoneLink> = {
  name: 'find_phone_link',
  text: `
SELECT s.person, s.token_digest AS "tokenDigest",
  CASE WHEN m.id IS NOT NULL THEN json_build_object('accountId', m.account_id, 'memberId', m.id, 'name', m.name,
    'email', m.email, 'role', m.role) END AS member,
  CASE WHEN c.id IS NOT NULL THEN json_build_object('id', c.id, 'accountId', c.account_id, 'kind', c.kind, 'label', c.label)
    END AS token,
  ARRAY(SELECT a.name FROM account a WHERE a.id = c.account_id
    OR EXISTS (SELECT FROM member o WHERE o.account_id = a.id AND o.email_digest = s.person) ORDER BY a.seq LIMIT 5) AS "accountNames"
FROM sign_in_link l
JOIN console_session s ON s.id = $2 AND s.expires_at > tocsin_now()
LEFT JOIN member m ON m.account_id = l.account_id AND m.id = l.member_id AND m.email_digest = s.person
LEFT JOIN console_token c ON c.digest = s.token_digest AND c.revoked_at IS NULL
  AND (c.expires_at IS NULL OR c.expires_at > tocsin_now())
WHERE l.digest = $1 AND l.expires_at > tocsin_now() AND (m.id IS NOT NULL OR c.id IS NOT NULL)`,
};

/**
 * Returns whom a link signs in, and leaves it as it is; null if it is expired, used or unknown, or its session, membership or token
 * has ended.
 */
export async function findPhoneLink(db: Connection, digest: Buffer, sessionId: string): Promise<PhoneLink | null> {
  const [link] = await run(db, findStatement, [digest, sessionId]);
  return link ?? null;
}

const endStatement: Statement<{ ended: true }> = {
  name: 'end_phone_link',
  text: 'DELETE FROM sign_in_link WHERE digest = $1 RETURNING true AS ended',
};

/** Ends a link: of two who use it at once, one has. */
export async function endPhoneLink(db: Connection, digest: Buffer): Promise<'ended' | 'gone'> {
  return (await run(db, endStatement, [digest])).length > 0 ? 'ended' : 'gone';
}
