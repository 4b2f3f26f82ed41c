import { type Connection, run, type Statement } from '../statement.ts';
import { TURN_ACTIONS } from './queue.ts';

const OLDEST_GROUP = 'SELECT at FROM waiting_group ORDER BY waiting_group.id LIMIT 1';

const oldestStatement: Statement<{ seconds: number }> = {
  name: 'oldest_unapplied',
  text: `
SELECT greatest(0, extract(epoch FROM (SELECT tocsin_now()) - least(
  (${OLDEST_GROUP}),
  (SELECT min(accepted_at) FROM queued_action)
)))::float8 AS seconds`,
};

/** Returns how long ago the oldest waiting call was accepted, in seconds; 0 if none waits. */
export async function oldestUnappliedS(db: Connection): Promise<number> {
  const [row] = await run(db, oldestStatement, []);
  return row!.seconds;
}

const countStatement: Statement<{ calls: number }> = {
  name: 'count_unapplied',
  text: `
SELECT (SELECT count(*) FROM (SELECT FROM queued_action LIMIT $1) counted)
  + (SELECT coalesce(sum(json_array_length(u -> 3)), 0)
    FROM (SELECT calls FROM waiting_group ORDER BY waiting_group.id LIMIT $2) g, json_array_elements(g.calls) u) AS calls`,
};

/** So far the queue and the journal's groups are counted: what one account has waiting must not keep the other figures from being read. */
const COUNTED = { queued: 10_000, groups: 1_000 };

/** Returns how many accepted calls are not applied yet; counts no further than COUNTED. */
export async function countUnapplied(db: Connection): Promise<number> {
  const [row] = await run(db, countStatement, [COUNTED.queued, COUNTED.groups]);
  return Number(row!.calls);
}

/** How many accounts of the queue are checked; with more than that some are late as well, or all have time. */
const ACCOUNTS = 1_000;

const lateStatement: Statement<{ applying: 'in_time' | 'late' }> = {
  name: 'applying_in_time',
  text: `
WITH RECURSIVE t AS MATERIALIZED (SELECT now, now - make_interval(secs => $1) AS since FROM (SELECT tocsin_now() AS now) n),
account AS (
  (SELECT account_id FROM queued_action ORDER BY account_id LIMIT 1)
  UNION ALL
  SELECT n.account_id FROM account a CROSS JOIN LATERAL (
    SELECT account_id FROM queued_action q WHERE q.account_id > a.account_id ORDER BY account_id LIMIT 1
  ) n
)
SELECT CASE WHEN (${OLDEST_GROUP}) < (SELECT since FROM t) OR EXISTS (
  SELECT FROM (SELECT account_id FROM account LIMIT ${ACCOUNTS}) a CROSS JOIN LATERAL (
    SELECT count(*) AS actions, min(greatest(accepted_at, due_at)) FILTER (WHERE failing_since IS NULL) AS oldest FROM (
      SELECT accepted_at, due_at, failing_since FROM queued_action q
      WHERE q.account_id = a.account_id AND q.due_at <= (SELECT now FROM t) ORDER BY q.due_at LIMIT ${TURN_ACTIONS}
    ) due
  ) w
  WHERE w.actions < ${TURN_ACTIONS} AND w.oldest < (SELECT since FROM t)
) THEN 'late' ELSE 'in_time' END AS applying`,
};

/**
 * Tells whether a call should have been applied more than so many seconds ago. A failed call waiting for its next try
 * is not late, nor is one that waits behind as much of its own account as gets a turn together: one account must not
 * make the whole deployment look late.
 */
export async function applyingInTime(db: Connection, lateAfterS: number): Promise<'in_time' | 'late'> {
  const [row] = await run(db, lateStatement, [lateAfterS]);
  return row!.applying;
}
