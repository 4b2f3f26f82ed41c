import type { ClientBase } from 'pg';
import type { Progress } from '../progress.ts';

/** How many calls one step carries over: less than a second's work. */
const STEP = 10_000;

/** How often progress is logged, in milliseconds. */
const PROGRESS_MS = 2_000;

/**
 * The result of a step. `passed`: how many rows it looked at; `orphans`: rows of deleted accounts, which it left out.
 */
interface Step {
  passed: number;
  orphans: number;
}

/**
 * Carries over the next rows after the remembered place and moves that place. A row that names a deleted key or
 * incident is carried over without that name.
 */
const STEP_SQL = `
WITH place AS (SELECT account_id, id FROM call_log_carried LIMIT 1),
next AS (
  SELECT o.* FROM call_log_before o
  WHERE (o.account_id, o.id) > (coalesce((SELECT account_id FROM place), ''), coalesce((SELECT id FROM place), 0))
  ORDER BY o.account_id, o.id LIMIT ${STEP}
),
known AS (
  SELECT n.*, a.seq AS account_seq, s.seq AS source_seq, k.seq AS key_seq, i.seq AS incident_seq
  FROM next n JOIN account a ON a.id = n.account_id
  LEFT JOIN source s ON s.account_id = n.account_id AND s.id = n.source_id
  LEFT JOIN api_key k ON k.account_id = n.account_id AND k.id = n.key_id
  LEFT JOIN incident i ON i.account_id = n.account_id AND i.id = n.incident_id
),
moved AS (
  INSERT INTO logged_call (account_seq, id, at, applied_at, trace_id, source_seq, key_seq, incident_seq, pending_id, verb,
    mode, environment, outcome, actor, asked_id)
  SELECT account_seq, id, at, applied_at, trace_id, source_seq, key_seq, incident_seq, pending_id, verb, mode, environment,
    outcome, actor, CASE WHEN source_seq IS NULL THEN source_id END
  FROM known
  ON CONFLICT (account_seq, id) DO NOTHING
),
-- Readers look for calls that folded into an incident from this one on. The first step with any calls of an incident has
-- its first.
began AS (
  UPDATE incident i SET first_call_id = f.id - 1
  FROM (SELECT account_id, incident_id, min(id) AS id FROM known WHERE incident_seq IS NOT NULL GROUP BY 1, 2) f
  WHERE i.account_id = f.account_id AND i.id = f.incident_id AND i.first_call_id = 0
),
last AS (SELECT account_id, id FROM next ORDER BY account_id DESC, id DESC LIMIT 1),
forgotten AS (DELETE FROM call_log_carried WHERE EXISTS (SELECT FROM last)),
remembered AS (INSERT INTO call_log_carried SELECT account_id, id FROM last)
SELECT (SELECT count(*) FROM next)::int AS passed,
  (SELECT count(*) FROM next)::int - (SELECT count(*) FROM known)::int AS orphans`;

/**
 * Carries the call log of the version before the journal over into the present one, step by step, each committed by
 * itself: the table may be of any size, and a killed process continues where it stopped. Call it under the migration's
 * lock. Does nothing if that is done already. Throws database errors; what was carried over by then stays.
 */
export async function carryOver(client: Pick<ClientBase, 'query'>, progress: Progress): Promise<void> {
  const { rows } = await client.query<{ of: number | null }>(ROUGHLY_SQL);
  const [left] = rows;
  if (left === undefined) return;
  const { of } = left;
  await client.query(BY_INDEX);
  let carried = 0;
  let orphans = 0;
  // Report once at the start, so that those waiting for the start learn why.
  let said = Number.NEGATIVE_INFINITY;
  for (;;) {
    const step = (await client.query<Step>(STEP_SQL)).rows[0]!;
    carried += step.passed - step.orphans;
    orphans += step.orphans;
    if (step.passed < STEP) break;
    if (performance.now() - said > PROGRESS_MS) {
      said = performance.now();
      progress.info(
        { carried, of },
        'the log of calls is being carried over to its new table; the start waits for that',
      );
    }
  }
  await dropBefore(client, progress);
  if (carried > 0) progress.info({ carried }, 'the log of calls was carried over to its new table');
  if (orphans > 0) progress.warn({ orphans }, 'logged calls of accounts that are gone were not carried over');
}

/** Each step finds its rows by an index; planned for whole tables it would read all of them each time. */
const BY_INDEX = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off';

/** The table is in use, or this role may not drop it. */
const KEPT_FOR_NOW = ['55P03', '42501'];

/** A backup reading the old table must not hold up the start: the next start finds the table empty and drops it. */
async function dropBefore(client: Pick<ClientBase, 'query'>, progress: Progress): Promise<void> {
  try {
    await client.query("SET LOCAL lock_timeout = '2s'; DROP TABLE call_log_before; DROP TABLE call_log_carried");
  } catch (error) {
    if (!KEPT_FOR_NOW.includes(String((error as { code?: unknown }).code))) throw error;
    progress.warn({}, 'the old table of logged calls is in use; the next start drops it');
  }
}

/** No row if all is carried over. `of`: how many rows there are in all by Postgres's estimate; null if it has none. */
const ROUGHLY_SQL = `
SELECT nullif(reltuples, -1)::float8 AS of FROM pg_class WHERE oid = to_regclass('call_log_before')`;
