import type { ModeId } from '../../domain/mode.ts';
import type { SourceKind } from '../../domain/source.ts';
import { type Connection, run, type Statement } from '../../store/statement.ts';

/** Whose days they are. Times are milliseconds since 1970. */
export interface SourceRow {
  seq: string;
  id: string;
  name: string;
  kind: SourceKind;
  armedMode: ModeId | null;
  zone: string;
  now: number;
  /** Null where that is no longer known. */
  createdAt: number | null;
  /** Since when the supervised senders that reach it alone have been silent. */
  silentSince: number[];
}

const ms = (of: string) => `(extract(epoch FROM ${of}) * 1000)::float8`;

const sourceStatement: Statement<SourceRow> = {
  name: 'source_of_days',
  text: `
SELECT s.seq::text AS seq, s.id, s.name, s.kind, a.owner_time_zone AS zone, ${ms('tocsin_now()')} AS now,
  (SELECT st.armed_mode FROM source_state st WHERE st.account_id = s.account_id AND st.source_id = s.id) AS "armedMode",
  (SELECT CASE u.action WHEN 'create' THEN ${ms('u.at')} END FROM audit u
    WHERE u.account_id = s.account_id AND u.thing_id = s.id ORDER BY u.id LIMIT 1) AS "createdAt",
  ARRAY(SELECT ${ms('k.silent_since')} FROM api_key k WHERE k.account_id = s.account_id AND k.alarm_id = s.id
    AND k.supervision_s > 0 AND k.silent_since IS NOT NULL AND k.revoked_at IS NULL
    AND (k.expires_at IS NULL OR k.expires_at > tocsin_now()) LIMIT 100) AS "silentSince"
FROM source s JOIN account a ON a.id = s.account_id WHERE s.account_id = $1 AND s.id = $2 AND s.deleted_at IS NULL`,
};

/** Returns it; null if the account has none with this id. */
export async function readSourceOfDays(db: Connection, accountId: string, id: string): Promise<SourceRow | null> {
  const [row] = await run(db, sourceStatement, [accountId, id]);
  return row ?? null;
}

/** How many rows of the log, and incidents, of a day are looked at: where many alarms call, each is on a page of its own. */
export const LOOKED_AT_A_DAY = 200;

/** What there was on one day. Times are milliseconds since 1970. */
export interface DayRow {
  /**
   * How many calls that were accepted there were (of the refused only the last are kept), and how many rows of the log were looked at:
   * one more than are where there are more.
   */
  calls: number;
  rows: number;
  lastAt: number | null;
  /** Behind its last call. */
  endsBefore: string;
  /** When it was armed in which mode, or disarmed. */
  changes: [at: number, mode: ModeId | 'disarmed'][];
  /** From when to when a sender was silent, where that triggered it. */
  silences: [from: number, to: number][];
  live: number;
  test: number;
  falseAlarms: number;
  incidents: number;
  /** Of the first day: how it was armed or disarmed last before it; null where that is not among the calls looked at. */
  before: ModeId | 'disarmed' | null;
}

/**
 * The log has no index on the time, and needs none: calls are numbered in the order of time, so the number at which a day begins is
 * found by halving, some forty looks at the index of the source for each of the days. Then so many rows of each day are read and no
 * more, however many there are: where the day ends is looked at behind that, as the planner takes what is between two numbers for
 * little, and reads and sorts all of it. $1: number of the source; $2: its account and id together; $3: when the days begin, and a
 * time to come; $4: how many rows.
 */
const daysStatement: Statement<DayRow> = {
  name: 'days_of_source',
  text: `
WITH RECURSIVE bounds AS MATERIALIZED (
  SELECT n, to_timestamp(at / 1000) AS at FROM unnest($3::float8[]) WITH ORDINALITY AS b (at, n)
),
ends AS MATERIALIZED (
  SELECT coalesce((SELECT id FROM logged_call WHERE source_seq = $1 ORDER BY id LIMIT 1), 0) AS low,
    coalesce((SELECT id + 1 FROM logged_call WHERE source_seq = $1 ORDER BY id DESC LIMIT 1), 0) AS high
),
halving AS (
  SELECT b.n, b.at, e.low, e.high FROM bounds b CROSS JOIN ends e
  UNION ALL
  SELECT h.n, h.at, CASE WHEN c.at < h.at THEN c.id + 1 ELSE h.low END,
    CASE WHEN c.at < h.at THEN h.high ELSE h.low + (h.high - h.low) / 2 END
  FROM halving h LEFT JOIN LATERAL (
    SELECT l.id, l.at FROM logged_call l WHERE l.source_seq = $1 AND l.id >= h.low + (h.high - h.low) / 2 ORDER BY l.id LIMIT 1
  ) c ON true
  WHERE h.low < h.high
),
days AS MATERIALIZED (
  SELECT h.n, h.at AS opens, lead(h.at) OVER (ORDER BY h.n) AS closes, h.low AS first, lead(h.low) OVER (ORDER BY h.n) AS next
  FROM halving h WHERE h.low >= h.high
)
SELECT c.calls, c.rows, c."lastAt", d.next::text AS "endsBefore", c.changes, c.silences, i.live, i.test, i."falseAlarms", i.incidents,
  CASE WHEN d.n = 1 THEN (
    SELECT CASE outcome WHEN 'armed' THEN mode ELSE 'disarmed' END FROM (
      SELECT id, outcome, mode FROM logged_call WHERE source_seq = $1 AND id < d.first ORDER BY id DESC LIMIT $4::int
    ) b WHERE outcome IN ('armed', 'disarmed') ORDER BY id DESC LIMIT 1
  ) END AS before
FROM days d
CROSS JOIN LATERAL (
  SELECT coalesce(sum(times) FILTER (WHERE applied_at IS NOT NULL), 0)::int AS calls, count(*)::int AS rows, ${ms('max(at)')} AS "lastAt",
    coalesce(json_agg(json_build_array(${ms('at')}, CASE outcome WHEN 'armed' THEN mode ELSE 'disarmed' END) ORDER BY id) FILTER (WHERE outcome IN ('armed', 'disarmed')), '[]') AS changes,
    coalesce(json_agg(json_build_array(${ms('silent_since')}, ${ms('at')})) FILTER (WHERE silent_since IS NOT NULL), '[]') AS silences
  FROM (
    SELECT id, at, applied_at, outcome, mode, times, silent_since FROM logged_call l
    WHERE l.source_seq = $1 AND l.id >= d.first ORDER BY l.id LIMIT $4::int + 1
  ) looked WHERE id < d.next
) c
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE environment = 'live')::int AS live, count(*) FILTER (WHERE environment = 'test')::int AS test,
    count(*) FILTER (WHERE environment = 'live' AND disposition = 'false_alarm')::int AS "falseAlarms", count(*)::int AS incidents
  FROM (
    SELECT environment, disposition FROM incident
    WHERE (account_id || source_id) = $2 AND opened_at >= d.opens AND opened_at < d.closes LIMIT $4::int + 1
  ) looked
) i
WHERE d.closes IS NOT NULL ORDER BY d.n`,
};

/** Returns what there was on each day. `bounds`: when the days begin, and a time to come. */
export async function readDays(
  db: Connection,
  of: { accountId: string; id: string; seq: string },
  bounds: readonly number[],
): Promise<DayRow[]> {
  return run(db, daysStatement, [of.seq, `${of.accountId}${of.id}`, bounds, LOOKED_AT_A_DAY]);
}
