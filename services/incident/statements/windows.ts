import type { ModeId } from '../../domain/mode.ts';
import type { Environment } from '../../domain/source.ts';
import type { TrippedKeys, TrippedLabels } from '../../domain/tripped.ts';
import { ms } from '../../store/columns.ts';
import { type Connection, run, type Statement } from '../../store/statement.ts';
import { labelsNow } from '../../store/statements/tripped.ts';

/** A trigger that waits in its false-alarm window. Times are milliseconds since 1970. */
export interface WindowRow {
  sourceId: string;
  sourceName: string;
  locationName: string;
  mode: ModeId;
  environment: Environment;
  dueAt: number;
  now: number;
  triggerCount: number;
  trippedKeys: TrippedKeys;
  trippedLabels: TrippedLabels;
  traceId: string;
  /** How many wait in the account, or of the source that was asked for. */
  total: number;
}

/** Counts that the engine has not written yet wait beside its cursor: whoever calls off must see them, for they go by the keys. */
const KEYS = "coalesce(f.keys, st.pending_tripped_keys, '[]')";

const windowsStatement: Statement<WindowRow> = {
  name: 'windows_of_account',
  text: `
SELECT s.id AS "sourceId", s.name AS "sourceName", l.name AS "locationName", st.pending_mode AS mode,
  st.pending_environment AS environment, ${ms('st.pending_due_at')} AS "dueAt", ${ms('t.now')} AS now,
  coalesce(f.count, st.pending_count) AS "triggerCount", ${KEYS} AS "trippedKeys",
  ${labelsNow('st.account_id', KEYS)} AS "trippedLabels",
  st.pending_trace_id AS "traceId", st.total
FROM (
  SELECT *, count(*) OVER ()::int AS total FROM source_state
  WHERE account_id = $1 AND pending_due_at IS NOT NULL AND ($3::text IS NULL OR source_id = $3)
  ORDER BY pending_environment <> 'live', pending_due_at, pending_id LIMIT $2
) st
JOIN source s ON s.account_id = st.account_id AND s.id = st.source_id
JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
CROSS JOIN (SELECT tocsin_now() AS now) t
LEFT JOIN LATERAL (
  SELECT (c.fold ->> 0)::int AS count, (c.fold -> 3)::jsonb AS keys
  FROM (SELECT folds -> ('p' || s.seq) AS fold FROM journal_cursor ORDER BY id DESC LIMIT 1) c
  WHERE (c.fold ->> 4)::bigint = st.pending_id AND (c.fold ->> 0)::int > st.pending_count
) f ON true
ORDER BY st.pending_environment <> 'live', st.pending_due_at, st.pending_id`,
};

/**
 * Returns at most `limit` of an account, or of one of its sources: live ones first, then those in test; of each the first to
 * end first.
 */
export function readWindows(
  db: Connection,
  { accountId, sourceId = null }: { accountId: string; sourceId?: string | null },
  limit: number,
): Promise<WindowRow[]> {
  return run(db, windowsStatement, [accountId, limit, sourceId]);
}
