import { type Columns, ms, rowsOf } from '../columns.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { ACCEPTING_SINCE } from './accepting.ts';

/** Why a known key is not valid; null if it is. `x` is the secret, `k` the key, `t.now` the time. */
export const KEY_FAULT = `CASE
    WHEN k.id IS NULL THEN 'key_unknown'
    WHEN k.revoked_at IS NOT NULL THEN 'key_revoked'
    WHEN x.ends_at <= t.now OR k.expires_at <= t.now THEN 'key_expired'
  END`;

/** The key that a digest ($1) belongs to, with its reach, for every statement that reads on behalf of one key. */
export const READING_KEY = `
  SELECT k.account_id AS "accountId", k.id AS "keyId", k.seq::float8 AS "keySeq", k.alarm_id AS "alarmId", v.version,
    ${KEY_FAULT} AS fault
  FROM (SELECT tocsin_now() AS now) t
  CROSS JOIN api_key_secret x
  JOIN api_key k ON k.account_id = x.account_id AND k.id = x.key_id
  JOIN account_version v ON v.account_id = k.account_id
  WHERE x.digest = $1`;

/** A proof that a key's sender lives. `address` and `agent` are what the facade saw and untrusted. */
export interface KeyUse {
  accountId: string;
  keyId: string;
  /** By what: a call, or a socket that answered; a call tells more. */
  by: 'call' | 'socket';
  address: string;
  agent: string;
  /** When, in milliseconds since 1970, if it could not be written by then; null: now. */
  at: number | null;
}

const USE: Columns<KeyUse> = {
  accountId: 'text',
  keyId: 'text',
  by: 'text',
  address: 'text',
  agent: 'text',
  at: 'time',
};

/** A proof of life that is too close to the one before to be written. Times are milliseconds. */
export interface HeldUse {
  accountId: string;
  keyId: string;
  /** When it was, as the deployment counts time. */
  at: number;
  /** When it may be written. */
  inMs: number;
}

/** How seldom the use of a busy key is written, so that it does not write its row all day. */
const CALL_EVERY = "interval '1 minute'";

/** A quarter of what the key is supervised by. */
const QUARTER = "k.supervision_s * interval '0.25 seconds'";

/** How seldom a socket of a key that nobody supervises is. */
const SOCKET_EVERY = "interval '15 minutes'";

/**
 * Life is written at most every quarter of what the key is supervised by, and along with the use. What is too early comes
 * back and is written later, with its own time: a sender that is heard just after its life was written must not be called
 * silent for it. Gaps are counted from call to call, but not those in which nobody could call (domain/rhythm.ts).
 */
const stampStatement: Statement<HeldUse> = {
  name: 'stamp_key_uses',
  text: `
WITH n AS MATERIALIZED (SELECT tocsin_now() AS now),
since AS MATERIALIZED (SELECT ${ACCEPTING_SINCE} AS at),
u AS MATERIALIZED (
  SELECT r.account_id, r.key_id, r.by, r.address, r.agent, coalesce(r.at, n.now) AS at,
    coalesce(k.last_used_at <= n.now - ${CALL_EVERY}, true) AND r.by = 'call' AS used,
    k.alive_at + CASE WHEN k.supervision_s > 0 THEN ${QUARTER}
      WHEN r.by = 'call' THEN ${CALL_EVERY} ELSE ${SOCKET_EVERY} END AS due_at,
    k.supervision_s > 0 AND coalesce(k.alive_at < coalesce(r.at, n.now), true) AS supervised
  FROM ${rowsOf(USE)} CROSS JOIN n JOIN api_key k ON k.account_id = r.account_id AND k.id = r.key_id
),
written AS (
  UPDATE api_key k SET
    last_used_at = CASE WHEN u.used THEN u.at ELSE k.last_used_at END,
    last_used_address = CASE WHEN u.used THEN u.address ELSE k.last_used_address END,
    last_used_agent = CASE WHEN u.used THEN u.agent ELSE k.last_used_agent END,
    alive_at = greatest(k.alive_at, u.at),
    socket_at = CASE WHEN u.by = 'socket' THEN greatest(k.socket_at, u.at) ELSE k.socket_at END,
    gaps = CASE WHEN u.by = 'call' AND k.alive_at > since.at AND k.alive_at < u.at
      THEN tocsin_count_gap(k.gaps, extract(epoch FROM u.at - k.alive_at)::float8) ELSE k.gaps END,
    gaps_since = coalesce(k.gaps_since, u.at)
  FROM u CROSS JOIN n CROSS JOIN since
  WHERE k.account_id = u.account_id AND k.id = u.key_id
    AND (u.used OR u.due_at IS NULL OR u.due_at <= n.now OR ($2::boolean AND u.supervised))
  RETURNING k.account_id, k.id
)
SELECT u.account_id AS "accountId", u.key_id AS "keyId", ${ms('u.at')} AS at, ${ms('(u.due_at - n.now)')} AS "inMs"
FROM u CROSS JOIN n
WHERE u.supervised AND NOT EXISTS (SELECT FROM written w WHERE w.account_id = u.account_id AND w.id = u.key_id)`,
};

/**
 * Writes proofs of life. `all`: also those of supervised keys that are early, because this process ends. Returns those of
 * supervised keys that are to be written later.
 */
export function stampKeyUses(
  db: Connection,
  uses: readonly KeyUse[],
  which: 'due' | 'all' = 'due',
): Promise<HeldUse[]> {
  return run(db, stampStatement, [JSON.stringify(uses), which === 'all']);
}
