import type { Pool } from 'pg';
import { eventually } from '../support/wait.ts';

/*
 * What the product's database says about the calls that it accepted: those applied are in logged_call, the rest in the journal or the queue. With
 * seed.ts the only place of the bench that knows the tables of calls.
 */

/** A moment at which nothing waited, by the database's clock: what is applied after it was accepted after it. */
export type Mark = string & { readonly brand: 'mark' };

/** From accepted to applied, in milliseconds. */
export interface Applied {
  applied: number;
  p50: number;
  p99: number;
}

/** Remembers this moment. Nothing may be waiting. */
export async function markNow(pool: Pool): Promise<Mark> {
  const { rows } = await pool.query<{ mark: Mark }>('SELECT clock_timestamp()::text AS mark');
  return rows[0]!.mark;
}

/** Counts the calls that were applied since. */
export async function countApplied(pool: Pool, since: Mark): Promise<number> {
  const { rows } = await pool.query<{ applied: number }>(
    'SELECT count(*)::int AS applied FROM logged_call WHERE applied_at > $1',
    [since],
  );
  return rows[0]!.applied;
}

/** Counts the accepted calls that wait to be applied. */
export async function countWaiting(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ waiting: number }>(
    `SELECT (SELECT count(*) FROM queued_action)::int
       + (SELECT coalesce(sum(json_array_length(u -> 3)), 0) FROM waiting_group g, json_array_elements(g.calls) u)::int AS waiting`,
  );
  return rows[0]!.waiting;
}

/** Waits until no call is waiting to be applied. Returns how long that took, in milliseconds. Throws after so many seconds. */
export async function untilApplied(pool: Pool, withinS = 60): Promise<number> {
  const started = performance.now();
  await eventually(async () => (await countWaiting(pool)) === 0 && 'all applied', {
    what: 'every accepted call to be applied',
    within: withinS * 1_000,
  });
  return performance.now() - started;
}

/** Returns the number of the group of calls that was accepted last. */
export async function lastGroup(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ last: number }>('SELECT last_value::float8 AS last FROM journal_number');
  return rows[0]!.last;
}

/** Waits until everything up to this group is applied, an hour at most. */
export async function untilAppliedTo(pool: Pool, group: number): Promise<void> {
  const isApplied = async () => {
    const { rows } = await pool.query<{ applied: boolean }>(
      `SELECT (SELECT applied_to FROM journal_cursor ORDER BY id DESC LIMIT 1) >= $1
         AND NOT EXISTS (SELECT FROM queued_action WHERE id < ($1 + 1) * 1024) AS applied`,
      [group],
    );
    return rows[0]!.applied;
  };
  await eventually(isApplied, { what: 'the backlog to be applied', within: 3_600_000 });
}

/** Measures the calls that were applied since. */
export async function measureApplied(pool: Pool, since: Mark): Promise<Applied> {
  const { rows } = await pool.query<Applied>(
    `SELECT count(*)::int AS applied,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS p50, percentile_cont(0.99) WITHIN GROUP (ORDER BY ms) AS p99
     FROM (
       SELECT (1000 * extract(epoch FROM applied_at - at))::float8 AS ms FROM logged_call WHERE applied_at > $1
     ) measured`,
    [since],
  );
  return rows[0]!;
}

/**
 * Adds so many applied calls of the last 90 days to the log, of every source in turn: how they came there is another
 * measurement. In pieces, so that nothing else waits for long.
 */
export async function fillLog(pool: Pool, calls: number): Promise<void> {
  const piece = 250_000;
  for (let done = 0; done < calls; done += piece) {
    await pool.query(
      `WITH numbered AS (
         SELECT a.seq AS account_seq, s.seq AS source_seq, row_number() OVER (ORDER BY s.seq) - 1 AS n
         FROM source s JOIN account a ON a.id = s.account_id
       ), number AS (SELECT setval('journal_number', nextval('journal_number') + ($2::bigint - $1::bigint) / 1024 + 1) AS last)
       INSERT INTO logged_call (account_seq, id, at, applied_at, trace_id, source_seq, verb, mode, environment, outcome)
       SELECT account_seq, (SELECT last FROM number) * 1024 - ($2::bigint - $1::bigint) + made.i, made.at, made.at,
         gen_random_uuid(), source_seq, 'trigger', 'away', 'test', 'folded'
       FROM (
         SELECT n % (SELECT count(*) FROM source) AS n, n - $1::bigint AS i,
           tocsin_now() - interval '90 days' * (1 - n / $3::float8) AS at
         FROM generate_series($1::bigint, $2::bigint) n
       ) made JOIN numbered USING (n)`,
      [done, Math.min(done + piece, calls) - 1, calls],
    );
  }
  await pool.query('VACUUM (ANALYZE) logged_call');
  await pool.query('CHECKPOINT');
}
