import type { Pool } from 'pg';
import { LOCKS } from '../../store/lock.ts';
import { environmentAt } from '../../store/source-sql.ts';
import { type Connection, run, type Statement } from '../../store/statement.ts';

const lockStatement: Statement<{ id: string }> = {
  name: 'lock_account_to_delete',
  text: 'SELECT id FROM account WHERE id = $1 FOR UPDATE',
};

/** Locks the account against changes until the end of the transaction. */
export async function lockAccount(db: Connection, accountId: string): Promise<void> {
  await run(db, lockStatement, [accountId]);
}

/** Something an account still has. */
export interface Held {
  kind: string;
  id: string;
  key: string;
  name: string;
}

const heldStatement: Statement<Held> = {
  name: 'held_by_account',
  text: `
SELECT 'location' AS kind, id, key, name FROM location WHERE account_id = $1 AND deleted_at IS NULL
UNION ALL SELECT kind, id, key, name FROM source
  WHERE account_id = $1 AND deleted_at IS NULL
UNION ALL SELECT 'contact', id, key, name FROM contact WHERE account_id = $1
UNION ALL SELECT 'duty', id, key, name FROM duty WHERE account_id = $1
UNION ALL SELECT 'policy', id, key, name FROM policy WHERE account_id = $1
UNION ALL SELECT 'api_key', id, key, label FROM api_key
  WHERE account_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > (SELECT tocsin_now()))
LIMIT 1000`,
};

const liveStatement: Statement<Held> = {
  name: 'live_in_account',
  text: `
SELECT s.kind, s.id, s.key, s.name FROM source s
JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
WHERE s.account_id = $1 AND s.deleted_at IS NULL AND NOT s.disabled AND NOT s.deactivated AND ${environmentAt()} = 'live'
ORDER BY s.seq LIMIT 1000`,
};

/** Returns the alarms and panic buttons of an account that would alert somebody; at most 1000. */
export function liveInAccount(db: Connection, accountId: string): Promise<Held[]> {
  return run(db, liveStatement, [accountId]);
}

/** Returns what an account has that is neither deleted nor revoked nor expired; at most 1000 things. */
export function heldByAccount(db: Connection, accountId: string): Promise<Held[]> {
  return run(db, heldStatement, [accountId]);
}

const lastStatement: Statement<{ id: string }> = {
  name: 'last_accepted',
  text: 'SELECT coalesce(max(id), 0)::text AS id FROM waiting_group',
};

/** Returns the number of the last group of calls accepted so far, as text; '0' if all are applied. */
export async function lastAccepted(pool: Pool): Promise<string> {
  // An accept under way holds the lock until its commit is visible.
  await pool.query(`SELECT pg_advisory_xact_lock(${LOCKS.accept})`);
  const [row] = await run(pool, lastStatement, []);
  return row!.id;
}

/** What is still going on in an account although its things are deleted. */
export type GoingOn = 'calls' | 'incidents' | 'messages' | 'nothing';

const goingOnStatement: Statement<{ what: GoingOn }> = {
  name: 'going_on_in_account',
  text: `
SELECT CASE
  WHEN EXISTS (SELECT FROM waiting_group w WHERE w.id <= $2::bigint)
    OR EXISTS (SELECT FROM queued_action q WHERE q.account_id = $1) THEN 'calls'
  WHEN EXISTS (SELECT FROM incident i WHERE i.account_id = $1 AND i.status = 'open')
    OR EXISTS (SELECT FROM source_state st WHERE st.account_id = $1 AND st.pending_due_at IS NOT NULL) THEN 'incidents'
  WHEN EXISTS (SELECT FROM delivery d WHERE d.status = 'sending' AND d.account_id = $1) THEN 'messages'
  ELSE 'nothing'
END AS what`,
};

/** Returns what is still going on in an account, including calls up to the group `upTo`. */
export async function stillGoingOn(db: Connection, accountId: string, upTo: string): Promise<GoingOn> {
  const [row] = await run(db, goingOnStatement, [accountId, upTo]);
  return row!.what;
}

/**
 * Unsent notices, and what gives access to the account: sessions of those who are members of no other one too, so that a later
 * invitation does not revive them. The rest outlives it, or goes by foreign keys.
 */
const SQL = [
  `
DELETE FROM console_session s USING member m
WHERE m.account_id = $1 AND s.person = m.email_digest
  AND NOT EXISTS (SELECT FROM member o WHERE o.email_digest = m.email_digest AND o.account_id <> $1)`,
  'DELETE FROM notice WHERE account_id = $1 AND planned_at IS NULL',
  "DELETE FROM notice_delivery WHERE account_id = $1 AND status IN ('scheduled', 'sending')",
  'DELETE FROM console_token WHERE account_id = $1',
  'SELECT tocsin_delete_account($1)',
];

/** Removes the row of an account that holds nothing more, its tokens and sessions, and its unsent notices. */
export async function deleteAccountRow(db: Connection, accountId: string): Promise<void> {
  for (const sql of SQL) await db.query(sql, [accountId]);
}
