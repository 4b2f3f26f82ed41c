import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { CHANNELS, MISSED_BY_RESTORE } from '../domain/delivery.ts';
import { startApplying } from '../engine/apply/applying.ts';
import { KEEP_ALL } from '../limits/kept.ts';

/** What becomes of alerts that were due before a restore: they are sent late, or marked as missed. */
export type Due = 'send' | 'missed';

/** What was due when a backup was restored. */
export interface Past {
  /** Messages that were to go out. */
  messages: number;
  /** False-alarm windows that have ended, each of which may open an incident. */
  windows: number;
  /** Groups of accepted calls and single actions that were not applied. */
  calls: number;
}

const pastSql = `
SELECT (SELECT count(*) FROM delivery WHERE status IN ('scheduled', 'sending') AND due_at <= tocsin_now())::int AS messages,
  (SELECT count(*) FROM source_state WHERE pending_due_at <= tocsin_now())::int AS windows,
  (SELECT count(*) FROM waiting_group)::int + (SELECT count(*) FROM queued_action)::int AS calls`;

/** Returns what was due before now. */
export async function readPast(pool: Pool): Promise<Past> {
  return (await pool.query<Past>(pastSql)).rows[0]!;
}

/**
 * Applies all that waits and all timers that are due, by the rules as ever, but sends nothing: then every message that is
 * due is marked as not sent. The monitor of the next start finds the steps that so did not run, enters them in the
 * timelines and tells the owners (DECISIONS.md "Backup"). Returns how many messages were marked.
 */
export async function markPastAsMissed(pool: Pool, log: Logger): Promise<number> {
  // A restore knows no carriers: a test that it records says nothing of those that are missing.
  const applying = startApplying({ pool, log, carriers: CHANNELS, kept: KEEP_ALL, onApplied() {} });
  await applying.drain().finally(applying.close);
  const { rowCount } = await pool.query(
    `UPDATE delivery SET status = 'cancelled', reason = $1, lease_until = NULL
     WHERE status IN ('scheduled', 'sending') AND due_at <= tocsin_now()`,
    [MISSED_BY_RESTORE],
  );
  return rowCount ?? 0;
}
