import type { ClockMark } from '../../domain/clock.ts';
import { ms } from '../columns.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/** A step of the database's clock. */
export interface ClockStep {
  /** The deployment's time at which it was noticed, milliseconds since 1970. */
  at: number;
  /** In milliseconds; negative if the clock was set back. */
  byMs: number;
}

/** What the last look left behind. */
export interface StoredMark extends ClockMark {
  id: number;
  /** The last step there was; null if there was none. */
  step: ClockStep | null;
}

interface ReadRow extends Omit<StoredMark, 'id' | 'step' | 'wallAt'> {
  wallNow: number;
  wallAt: number;
  id: number | null;
  steppedAt: number | null;
  steppedByMs: number | null;
}

const readStatement: Statement<ReadRow> = {
  name: 'read_clock',
  text: `
SELECT ${ms('tocsin_wall()')} AS "wallNow", c.id::float8 AS id, ${ms('c.wall_at')} AS "wallAt", c.ahead_ms AS "aheadMs", c.boot,
  c.uptime_ms AS "uptimeMs", ${ms('c.stepped_at')} AS "steppedAt", c.stepped_by_ms AS "steppedByMs"
FROM (SELECT) one LEFT JOIN LATERAL (SELECT * FROM clock ORDER BY clock.id DESC LIMIT 1) c ON true`,
};

/** Returns what the database's clock says (milliseconds since 1970), and the last mark; null before the first. */
export async function readClock(db: Connection): Promise<{ wallAt: number; last: StoredMark | null }> {
  const [row] = await run(db, readStatement, []);
  const { wallNow, id, steppedAt, steppedByMs, ...mark } = row!;
  const step = steppedAt === null || steppedByMs === null ? null : { at: steppedAt, byMs: steppedByMs };
  return { wallAt: wallNow, last: id === null ? null : { ...mark, id, step } };
}

/**
 * Unless it holds a step, a mark that a crash takes along is one look less: nobody waits for the disk. The place decides:
 * of two processes that judged by the same mark, one is first.
 */
const markStatement: Statement<{ marked: number }> = {
  name: 'mark_clock',
  text: `
WITH mark AS (
  INSERT INTO clock (id, wall_at, ahead_ms, boot, uptime_ms, stepped_at, stepped_by_ms)
  VALUES ($1::bigint, to_timestamp($2::float8 / 1000), $3::float8, $4::text, $5::float8, to_timestamp($6::float8 / 1000), $7::float8)
  ON CONFLICT (id) DO NOTHING RETURNING id
),
gone AS (DELETE FROM clock c USING mark m WHERE c.id < m.id)
SELECT (SELECT count(*) FROM mark)::int AS marked,
  CASE WHEN $8::boolean THEN set_config('synchronous_commit', 'off', true) END AS commits`,
};

/**
 * Leaves a mark in the place after the last one. Returns `overtaken` if another process was first; nothing is stored
 * then. `durable`: it must survive whatever happens next.
 */
export async function markClock(
  db: Connection,
  { id, wallAt, aheadMs, boot, uptimeMs, step }: StoredMark,
  kept: 'durable' | 'soon',
): Promise<'marked' | 'overtaken'> {
  const values = [id, wallAt, aheadMs, boot, uptimeMs, step?.at ?? null, step?.byMs ?? null, kept === 'soon'];
  const [row] = await run(db, markStatement, values);
  return row!.marked > 0 ? 'marked' : 'overtaken';
}

const endsStatement: Statement<{ accountId: string; names: string }> = {
  name: 'accounts_with_ends',
  text: `
SELECT e.account_id AS "accountId", string_agg(e.label, ', ' ORDER BY e.label) AS names FROM (
  SELECT account_id, label FROM api_key WHERE revoked_at IS NULL AND expires_at > (SELECT tocsin_now())
  UNION ALL
  SELECT account_id, label FROM console_token
    WHERE account_id IS NOT NULL AND revoked_at IS NULL AND expires_at > (SELECT tocsin_now())
) e GROUP BY 1`,
};

/** Returns the accounts with keys and tokens that end at a time which their owners chose, and the labels of these. */
export function accountsWithEnds(db: Connection): Promise<{ accountId: string; names: string }[]> {
  return run(db, endsStatement, []);
}
