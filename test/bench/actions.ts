import type { Pool } from 'pg';
import { eventually } from '../support/wait.ts';

/** What the product's database says about the calls that it accepted: those applied are in call_log, the rest in action. */
export interface Applied {
  applied: number;
  waiting: number;
  /** From accepted to applied, in milliseconds. */
  p50: number;
  p99: number;
}

/** How many calls are applied. */
export async function countApplied(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ applied: number }>('SELECT count(applied_at)::int AS applied FROM call_log');
  return rows[0]?.applied ?? 0;
}

/** Waits until no call is waiting to be applied. Gives how long that took, in milliseconds. */
export async function untilApplied(pool: Pool): Promise<number> {
  const started = performance.now();
  await eventually(async () => (await countWaiting(pool)) === 0 && 'all applied', {
    what: 'every accepted call to be applied',
    within: 60_000,
  });
  return performance.now() - started;
}

/** All calls but the first `skipped` that were applied. */
export async function measureApplied(pool: Pool, skipped: number): Promise<Applied> {
  const { rows } = await pool.query<Omit<Applied, 'waiting'>>(
    `SELECT count(*)::int AS applied,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS p50, percentile_cont(0.99) WITHIN GROUP (ORDER BY ms) AS p99
     FROM (
       SELECT (1000 * extract(epoch FROM applied_at - at))::float8 AS ms
       FROM call_log WHERE applied_at IS NOT NULL ORDER BY id OFFSET $1
     ) measured`,
    [skipped],
  );
  return { ...rows[0]!, waiting: await countWaiting(pool) };
}

async function countWaiting(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ waiting: number }>('SELECT count(*)::int AS waiting FROM action');
  return rows[0]?.waiting ?? 0;
}
