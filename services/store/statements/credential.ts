import { type Connection, run, type Statement } from '../statement.ts';
import { KEY_FAULT } from './key.ts';

/** An API key, as far as the facade needs to know it. */
export interface KnownKey {
  accountId: string;
  id: string;
  /** Why it is no longer valid; null if it is. */
  fault: 'key_revoked' | 'key_expired' | null;
}

/**
 * A console token that was not revoked, or a session, as far as the facade needs to know it. An expired token passes:
 * the call itself reports that to its holder (rpc/auth.ts).
 */
export interface KnownToken {
  /** The accounts it gives access to, oldest first; null for all, with the operator's token. */
  accounts: string[] | null;
  id: string;
  /** Why it is no longer valid; null if it is. */
  fault: 'token_expired' | null;
}

const keysStatement: Statement<KnownKey & { n: number }> = {
  name: 'known_keys',
  text: `
SELECT d.n::int AS n, k.account_id AS "accountId", k.id, ${KEY_FAULT} AS fault
FROM unnest($1::bytea[]) WITH ORDINALITY AS d (digest, n)
CROSS JOIN (SELECT tocsin_now() AS now) t
JOIN api_key_secret x ON x.digest = d.digest
JOIN api_key k ON k.account_id = x.account_id AND k.id = x.key_id`,
};

const tokensStatement: Statement<KnownToken & { n: number }> = {
  name: 'known_tokens',
  text: `
SELECT d.n::int AS n, CASE WHEN c.account_id IS NOT NULL THEN ARRAY[c.account_id] END AS accounts, c.id,
  CASE WHEN c.expires_at <= tocsin_now() THEN 'token_expired' END AS fault
FROM unnest($1::bytea[]) WITH ORDINALITY AS d (digest, n)
JOIN console_token c ON c.digest = d.digest AND c.revoked_at IS NULL
UNION ALL
SELECT d.n::int, CASE WHEN s.person IS NOT NULL THEN m.accounts WHEN c.account_id IS NOT NULL THEN ARRAY[c.account_id] END, s.id,
  NULL
FROM unnest($1::bytea[]) WITH ORDINALITY AS d (digest, n)
JOIN console_session s ON s.digest = d.digest AND s.expires_at > tocsin_now()
LEFT JOIN console_token c ON c.digest = s.token_digest AND c.revoked_at IS NULL
CROSS JOIN LATERAL (
  SELECT array_agg(m.account_id ORDER BY a.seq) AS accounts FROM member m JOIN account a ON a.id = m.account_id
  WHERE m.email_digest = s.person
) m
WHERE c.id IS NOT NULL OR m.accounts IS NOT NULL`,
};

/** Returns the keys with these digests, in the same order; null for unknown ones. One statement for all of them. */
export async function readKnownKeys(on: Connection, digests: readonly Buffer[]): Promise<(KnownKey | null)[]> {
  return inOrder(await run(on, keysStatement, [digests]), digests);
}

/** Like readKnownKeys, for console tokens and sessions. */
export async function readKnownTokens(on: Connection, digests: readonly Buffer[]): Promise<(KnownToken | null)[]> {
  return inOrder(await run(on, tokensStatement, [digests]), digests);
}

function inOrder<Known>(rows: readonly (Known & { n: number })[], { length }: readonly Buffer[]): (Known | null)[] {
  const found = new Map<number, Known>(rows.map(row => [row.n, row]));
  return Array.from({ length }, (_, place) => found.get(place + 1) ?? null);
}
