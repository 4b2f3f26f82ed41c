import { type Connection, run, type Statement } from '../../../store/statement.ts';
import { ACCOUNTS, BATCH, before } from '../../../store/statements/retention.ts';

/** The most incidents one transaction removes; each has messages and a timeline. */
const INCIDENTS = 100;

/** A look at some accounts. `last`: the number of the last of them; null if there are no more. */
export interface RemovedIncidents {
  last: string | null;
  rows: number;
  /** Whether these accounts have more that are too old. */
  left: 'some' | 'none';
}

/**
 * Removes an incident with everything that belongs to it or not at all: as many at once as add up to BATCH rows, or a
 * single one if it alone has more. Skips incidents that are open or closed later: at most some of each source.
 */
const removeStatement: Statement<RemovedIncidents> = {
  name: 'remove_old_incidents',
  text: `
WITH page AS MATERIALIZED (SELECT seq, key AS id FROM (${ACCOUNTS}) a WHERE seq > $1::bigint ORDER BY seq LIMIT ${BATCH}),
old AS MATERIALIZED (
  SELECT o.account_id, o.id FROM page p CROSS JOIN LATERAL (
    SELECT i.account_id, i.id FROM incident i
    WHERE i.account_id = p.id AND i.opened_at < ${before('$2')} AND i.status = 'closed' AND i.closed_at < ${before('$2')}
      -- Messages that a deployment which was down for days has yet to send, or to give up.
      AND NOT EXISTS (SELECT FROM delivery d
        WHERE d.account_id = i.account_id AND d.incident_id = i.id AND d.status IN ('scheduled', 'sending'))
    ORDER BY i.opened_at, i.id LIMIT ${INCIDENTS}
  ) o
  LIMIT ${INCIDENTS}
),
counted AS MATERIALIZED (
  SELECT o.account_id, o.id, 1
    + (SELECT count(*) FROM delivery d WHERE d.account_id = o.account_id AND d.incident_id = o.id)
    + (SELECT count(*) FROM incident_entry e WHERE e.account_id = o.account_id AND e.incident_id = o.id)
    + (SELECT count(*) FROM notice n WHERE n.account_id = o.account_id AND n.incident_id = o.id) AS rows
  FROM old o
),
summed AS (SELECT c.*, sum(rows) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM counted c),
chosen AS MATERIALIZED (SELECT account_id, id, rows FROM summed WHERE upto <= ${BATCH} OR upto = rows),
deliveries AS (
  DELETE FROM delivery d USING chosen c WHERE d.account_id = c.account_id AND d.incident_id = c.id
),
entries AS (
  DELETE FROM incident_entry e USING chosen c WHERE e.account_id = c.account_id AND e.incident_id = c.id
),
notices AS (
  DELETE FROM notice n USING chosen c WHERE n.account_id = c.account_id AND n.incident_id = c.id
),
gone AS (
  DELETE FROM incident i USING chosen c WHERE i.account_id = c.account_id AND i.id = c.id RETURNING c.rows
)
SELECT (SELECT max(seq)::text FROM page) AS last, (SELECT coalesce(sum(rows), 0)::int FROM gone) AS rows,
  CASE WHEN (SELECT count(*) FROM old) = ${INCIDENTS} OR (SELECT count(*) FROM old) > (SELECT count(*) FROM chosen)
    THEN 'some' ELSE 'none' END AS left`,
};

/**
 * Removes incidents that closed more than so many days ago, of the next BATCH accounts after the number `after`, each
 * with its messages, its timeline and the notices about it.
 */
export async function removeIncidents(db: Connection, after: string, days: number): Promise<RemovedIncidents> {
  const [removed] = await run(db, removeStatement, [after, days]);
  return removed!;
}
