import type { Pool } from 'pg';
import { ms } from '../../../store/columns.ts';
import { LOCKS } from '../../../store/lock.ts';
import { type Connection, inTransaction, run, type Statement } from '../../../store/statement.ts';

/** What the watchman saw. Times are milliseconds since 1970. */
export interface StoredWatch {
  /** When the look ended; null: none has yet. */
  seenAt: number | null;
  faults: string[];
  /** How long the beat and the dry life took; null if it failed. */
  beatMs: number | null;
  dryLifeMs: number | null;
}

const lockStatement: Statement<object> = {
  name: 'beat_lock',
  text: `SELECT pg_advisory_xact_lock(${LOCKS.accept})`,
};

/** As tocsin_accept_group stores a group, after the lock: never earlier than the one before. */
const beatStatement: Statement<{ number: number }> = {
  name: 'beat',
  text: `
WITH applied AS MATERIALIZED (SELECT applied_to, at FROM journal_cursor ORDER BY journal_cursor.id DESC LIMIT 1)
INSERT INTO journal (id, at, calls) SELECT nextval('journal_number'), greatest(tocsin_now(), a.at,
  (SELECT j.at FROM journal j WHERE j.id > a.applied_to ORDER BY j.id DESC LIMIT 1)), '[]'
FROM applied a RETURNING id::float8 AS number`,
};

/** Stores a group without calls, as a group of calls is stored. Returns its number. Throws what keeps calls from being accepted. */
export function storeBeat(pool: Pool): Promise<number> {
  return inTransaction(pool, async client => {
    await run(client, lockStatement, []);
    const [beat] = await run(client, beatStatement, []);
    return beat!.number;
  });
}

const appliedStatement: Statement<{ applied: 'yes' | 'no' }> = {
  name: 'beat_applied',
  text: `
SELECT CASE WHEN applied_to >= $1 THEN 'yes' ELSE 'no' END AS applied FROM journal_cursor ORDER BY journal_cursor.id DESC LIMIT 1`,
};

/** Tells whether everything up to the group of this number is applied. */
export async function isApplied(db: Connection, number: number): Promise<'yes' | 'no'> {
  const [row] = await run(db, appliedStatement, [number]);
  return row!.applied;
}

const lifeStatement: Statement<{ seq: number }> = {
  name: 'begin_dry_life',
  text: `
WITH names AS (SELECT $1::text AS account_id, $2::text AS location_id, $3::text AS contact_id, $4::text AS policy_id, $5::text AS id),
a AS (INSERT INTO account (id, name, plan) SELECT account_id, 'watchman', 'paid' FROM names),
l AS (INSERT INTO location (account_id, id, key, name, address, test)
  SELECT account_id, location_id, 'w', 'Watchman', '', false FROM names),
c AS (INSERT INTO contact (account_id, id, key, name) SELECT account_id, contact_id, 'w', 'Watchman' FROM names),
cc AS (INSERT INTO contact_channel (account_id, contact_id, channel, position, address, verified_at)
  SELECT account_id, contact_id, 'email', 0, 'v1.nobody', tocsin_now() FROM names),
p AS (INSERT INTO policy (account_id, id, key, name, steps) SELECT account_id, policy_id, 'w', 'Watchman',
  jsonb_build_array(jsonb_build_object('delayS', 0, 'contacts',
    jsonb_build_array(jsonb_build_object('contactId', contact_id, 'channels', '["email"]'::jsonb)))) FROM names),
st AS (INSERT INTO source_state (account_id, source_id, version) SELECT account_id, id, 0 FROM names)
INSERT INTO source (account_id, id, key, kind, location_id, name, test, response_kind, policy_id)
  SELECT account_id, id, 'w', 'panic_button', location_id, 'Watchman', false, 'fire', policy_id FROM names RETURNING seq::float8 AS seq`,
};

/** The ids of what a dry life is about. */
export interface DryIds {
  account: string;
  location: string;
  contact: string;
  policy: string;
  source: string;
}

/**
 * Makes an account with a live panic button that alerts one person by email. Only for a transaction that is rolled back.
 * Returns the number of the button.
 */
export async function beginDryLife(db: Connection, ids: DryIds): Promise<number> {
  const { account, location, contact, policy, source } = ids;
  const [row] = await run(db, lifeStatement, [account, location, contact, policy, source]);
  return row!.seq;
}

const plannedStatement: Statement<{ status: string; channel: string }> = {
  name: 'planned_in_dry_life',
  text: 'SELECT status, channel FROM delivery WHERE account_id = $1',
};

/** Returns the messages that its alarm planned. */
export function plannedInDryLife(db: Connection, accountId: string) {
  return run(db, plannedStatement, [accountId]);
}

const readStatement: Statement<{ now: number; id: number | null; ageMs: number | null } & StoredWatch> = {
  name: 'read_watch',
  text: `
SELECT ${ms('n.now')} AS now, w.id::float8 AS id, ${ms('(n.now - w.at)')} AS "ageMs", ${ms('w.seen_at')} AS "seenAt",
  coalesce(w.faults, '{}') AS faults, w.beat_ms AS "beatMs", w.dry_life_ms AS "dryLifeMs"
FROM (SELECT tocsin_now() AS now) n LEFT JOIN LATERAL (SELECT * FROM watch ORDER BY watch.id DESC LIMIT 1) w ON true`,
};

/** Returns the deployment's time, and the last look: its place, and how long ago it began; both null before the first. */
export async function readWatch(db: Connection) {
  const [row] = await run(db, readStatement, []);
  const { now, id, ageMs, ...seen } = row!;
  return { now, id, ageMs, seen };
}

/** A look that a crash takes along is one look less: nobody waits for the disk. */
const claimStatement: Statement<{ claimed: number }> = {
  name: 'claim_watch',
  text: `
WITH claim AS (
  INSERT INTO watch (id, at, seen_at, faults, beat_ms, dry_life_ms)
  SELECT $1::bigint, tocsin_now(), w.seen_at, coalesce(w.faults, '{}'), w.beat_ms, w.dry_life_ms
  FROM (SELECT) one LEFT JOIN LATERAL (SELECT * FROM watch ORDER BY watch.id DESC LIMIT 1) w ON true
  ON CONFLICT (id) DO NOTHING RETURNING id
),
gone AS (DELETE FROM watch w USING claim c WHERE w.id < c.id)
SELECT (SELECT count(*) FROM claim)::int AS claimed, set_config('synchronous_commit', 'off', true) AS commits`,
};

/** Takes the place of the next look, for which `overtaken` says that another process has taken it. */
export async function claimWatch(db: Connection, id: number): Promise<'claimed' | 'overtaken'> {
  const [row] = await run(db, claimStatement, [id]);
  return row!.claimed > 0 ? 'claimed' : 'overtaken';
}

const keepStatement: Statement<object> = {
  name: 'keep_watch',
  text: `
UPDATE watch SET seen_at = tocsin_now(), faults = $2::text[], beat_ms = $3, dry_life_ms = $4
WHERE id = $1::bigint AND set_config('synchronous_commit', 'off', true) IS NOT NULL`,
};

/** Keeps what the look at this place saw. */
export async function keepWatch(db: Connection, id: number, seen: Omit<StoredWatch, 'seenAt'>): Promise<void> {
  await run(db, keepStatement, [id, seen.faults, seen.beatMs, seen.dryLifeMs]);
}
