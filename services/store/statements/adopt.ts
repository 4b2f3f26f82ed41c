import type { Pool } from 'pg';
import { type Connection, inTransaction, run, type Statement } from '../statement.ts';

/*
 * What is stored under the other pepper (KEY_PEPPER_ALSO) cannot be digested anew without the secret: it is when somebody
 * calls with that.
 */

const lockStatement: Statement<{ accountId: string }> = {
  name: 'adopt_key_lock',
  text: `
SELECT v.account_id AS "accountId" FROM api_key_secret x JOIN account_version v ON v.account_id = x.account_id
WHERE x.digest = $1 FOR UPDATE OF v`,
};

/** Its end is that of the one beside it, whatever a rotation of the key just made of that: see the lock. */
const adoptKeyStatement: Statement<{ adopted: number }> = {
  name: 'adopt_key',
  text: `
INSERT INTO api_key_secret (digest, account_id, key_id, last4, created_at, ends_at, pepper)
SELECT $2, account_id, key_id, last4, created_at, ends_at, $3 FROM api_key_secret WHERE digest = $1
ON CONFLICT (digest) DO NOTHING`,
};

/**
 * Stores the secret of an API key under this pepper beside what is stored under the other, which processes that know only
 * that one go by until it is removed (removeSuperseded). Returns `unknown` if the other digest is nobody's.
 */
export async function adoptKey(
  pool: Pool,
  { other, digest, pepper }: { other: Buffer; digest: Buffer; pepper: string },
): Promise<'adopted' | 'unknown'> {
  // Made-up keys come here too, and cost a look.
  if ((await pool.query('SELECT FROM api_key_secret WHERE digest = $1', [other])).rowCount === 0) return 'unknown';
  return inTransaction(pool, async client => {
    // Owners' changes of a key wait for this row, and this for theirs.
    if ((await run(client, lockStatement, [other])).length === 0) return 'unknown';
    await run(client, adoptKeyStatement, [other, digest, pepper]);
    return 'adopted';
  });
}

const adoptTokenStatement: Statement<{ adopted: number }> = {
  name: 'adopt_token',
  text: `
WITH token AS (UPDATE console_token SET digest = $2, pepper = $3 WHERE digest = $1 RETURNING id),
made AS (UPDATE console_session SET token_digest = $2 WHERE token_digest = $1),
links AS (UPDATE sign_in_link SET token_digest = $2 WHERE token_digest = $1),
session AS (UPDATE console_session SET digest = $2 WHERE digest = $1 RETURNING id)
SELECT (SELECT count(*) FROM token)::int + (SELECT count(*) FROM session)::int AS adopted`,
};

/**
 * Stores a console token, or a session, under this pepper in place of the other. Whoever reads either goes by both.
 * Returns `unknown` if the other digest is nobody's.
 */
export async function adoptToken(
  db: Connection,
  { other, digest, pepper }: { other: Buffer; digest: Buffer; pepper: string },
): Promise<'adopted' | 'unknown'> {
  const [row] = await run(db, adoptTokenStatement, [other, digest, pepper]);
  return row!.adopted > 0 ? 'adopted' : 'unknown';
}

const removeStatement: Statement<never> = {
  name: 'remove_superseded',
  text: `
DELETE FROM api_key_secret x WHERE x.pepper <> $1 AND EXISTS (
  SELECT FROM api_key_secret n WHERE n.account_id = x.account_id AND n.key_id = x.key_id AND n.pepper = $1
    AND n.last4 = x.last4 AND n.created_at = x.created_at)`,
};

/** Removes what is stored of keys under a pepper that nobody names any more, beside what is stored under this one. */
export async function removeSuperseded(db: Connection, pepper: string): Promise<void> {
  await run(db, removeStatement, [pepper]);
}

const leftStatement: Statement<{ keys: number; tokens: number }> = {
  name: 'left_under_other_pepper',
  text: `
SELECT (SELECT count(*) FROM api_key_secret x JOIN api_key k ON k.account_id = x.account_id AND k.id = x.key_id
    WHERE x.pepper <> $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > t.now)
      AND (x.ends_at IS NULL OR x.ends_at > t.now) AND NOT EXISTS (
        SELECT FROM api_key_secret n WHERE n.account_id = x.account_id AND n.key_id = x.key_id AND n.pepper = $1
          AND n.last4 = x.last4 AND n.created_at = x.created_at))::int AS keys,
  (SELECT count(*) FROM console_token c WHERE c.pepper <> $1 AND c.revoked_at IS NULL
    AND (c.expires_at IS NULL OR c.expires_at > t.now))::int AS tokens
FROM (SELECT tocsin_now() AS now) t`,
};

/** Returns how many secrets of keys and console tokens that still open something nobody has used since the change. */
export async function leftUnderOther(db: Connection, pepper: string): Promise<{ keys: number; tokens: number }> {
  const [left] = await run(db, leftStatement, [pepper]);
  return left!;
}
