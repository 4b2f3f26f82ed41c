import type { Pool } from 'pg';
import { LOCKS } from '../lock.ts';
import { kindOf } from '../source-sql.ts';
import { type Connection, run, type Statement } from '../statement.ts';

const lockStatement: Statement<{ id: string }> = {
  name: 'lock_account_to_delete',
  text: 'SELECT id FROM account WHERE id = $1 FOR UPDATE',
};

/** Until the end of the transaction nobody changes the account. */
export async function lockAccount(on: Connection, accountId: string): Promise<void> {
  await run(on, lockStatement, [accountId]);
}

/** Something that an account holds. */
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
UNION ALL SELECT ${kindOf('kind')}, id, key, name FROM source
  WHERE account_id = $1 AND deleted_at IS NULL
UNION ALL SELECT 'contact', id, key, name FROM contact WHERE account_id = $1
UNION ALL SELECT 'policy', id, key, name FROM policy WHERE account_id = $1
UNION ALL SELECT 'api_key', id, key, label FROM api_key
  WHERE account_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > (SELECT tocsin_now()))
LIMIT 1000`,
};

/** What an account holds that is neither deleted nor revoked nor expired; at most 1000 things. */
export function heldByAccount(on: Connection, accountId: string): Promise<Held[]> {
  return run(on, heldStatement, [accountId]);
}

const lastStatement: Statement<{ id: string }> = {
  name: 'last_accepted',
  text: 'SELECT coalesce(max(id), 0)::text AS id FROM waiting_group',
};

/** The number of the last group of calls that was accepted before, as text; '0': all are applied. */
export async function lastAccepted(pool: Pool): Promise<string> {
  // Whoever is accepting a group holds it until its commit can be seen.
  await pool.query(`SELECT pg_advisory_xact_lock(${LOCKS.accept})`);
  const [row] = await run(pool, lastStatement, []);
  return row!.id;
}

/** What moves by itself in an account, though its things are gone. */
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

/** What is still going on in an account, calls up to the group `upTo` included. */
export async function stillGoingOn(on: Connection, accountId: string, upTo: string): Promise<GoingOn> {
  const [row] = await run(on, goingOnStatement, [accountId, upTo]);
  return row!.what;
}

/** Notices that nobody will be told any more, and what opens the account. The rest outlives it, or goes by foreign keys. */
const SQL = [
  "DELETE FROM notice WHERE account_id = $1 AND status IN ('scheduled', 'sending')",
  'DELETE FROM console_token WHERE account_id = $1',
  'SELECT tocsin_delete_account($1)',
];

/** Removes the row of an account that holds nothing, its tokens, and the notices that wait. */
export async function deleteAccountRow(on: Connection, accountId: string): Promise<void> {
  for (const sql of SQL) await on.query(sql, [accountId]);
}
