import type { Pool } from 'pg';
import { ms } from '../columns.ts';
import { newId } from '../id.ts';
import { type Connection, inTransaction, run, type Statement } from '../statement.ts';
import { noWrites, writeAll } from './write.ts';

/** The outcome of incident `i` as shown, as an SQL expression (domain/incident.ts `outcomeShown`). */
export function outcomeShown(i: string): string {
  return `CASE WHEN ${i}.unreached_at IS NOT NULL AND ${i}.outcome IN ('alerting', 'exhausted') THEN 'nobody_reached' ELSE ${i}.outcome END`;
}

/** A new judgement on whom an incident's messages reached so far. Times are milliseconds since 1970. */
interface News {
  became: 'nobody_reached' | 'reached';
  at: number;
  sourceName: string;
  openedAt: number;
}

/** The judgement on the messages of incident `i` that were due by `t.now`, as SQL. */
const VERDICT = `
  SELECT CASE
    WHEN bool_or(d.status IN ('sent', 'delivered')) THEN 'reached'
    WHEN bool_or(d.status IN ('scheduled', 'sending')) THEN 'not_known'
    WHEN bool_or(d.status IN ('failed', 'no_carrier')) THEN 'nobody_reached'
  END AS became
  FROM delivery d
  WHERE d.account_id = i.account_id AND d.incident_id = i.id AND d.kind = 'alert' AND d.planned_at <= t.now`;

/** Whether that verdict `v` is not recorded yet. */
const IS_NEWS = `i.environment = 'live' AND ((v.became = 'nobody_reached' AND i.unreached_at IS NULL)
  OR (v.became = 'reached' AND i.unreached_at IS NOT NULL))`;

/**
 * DECISIONS.md "Nobody reached": all messages have ended and no carrier accepted one. Cancelled messages do not count.
 * As soon as a carrier accepts one, somebody is reached.
 */
const newsStatement: Statement<News> = {
  name: 'news_of_reached',
  text: `
SELECT v.became, ${ms('t.now')} AS at, i.copy->>'sourceName' AS "sourceName", ${ms('i.opened_at')} AS "openedAt"
FROM incident i CROSS JOIN (SELECT tocsin_now() AS now) t CROSS JOIN LATERAL (${VERDICT}) v
WHERE i.account_id = $1 AND i.id = $2 AND ${IS_NEWS}`,
};

const lockStatement: Statement<never> = {
  name: 'lock_incident',
  text: 'SELECT FROM incident WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE',
};

const markStatement: Statement<never> = {
  name: 'mark_unreached',
  text: 'UPDATE incident SET unreached_at = to_timestamp($3::float8 / 1000) WHERE account_id = $1 AND id = $2',
};

/**
 * Records whether an incident reached anybody so far; if it reached nobody, its owner is notified, once. Call it after
 * the commit of a message that failed for good or was accepted: of two that end at the same time, the later one sees
 * both.
 */
export async function judgeReached(
  pool: Pool,
  accountId: string,
  incidentId: string,
): Promise<News['became'] | 'as_before'> {
  const about = [accountId, incidentId];
  if ((await run(pool, newsStatement, about)).length === 0) return 'as_before';
  return inTransaction(pool, async client => {
    await run(client, lockStatement, about);
    const [news] = await run(client, newsStatement, about);
    if (news === undefined) return 'as_before';
    const isNobody = news.became === 'nobody_reached';
    await run(client, markStatement, [...about, isNobody ? news.at : null]);
    if (isNobody) {
      const told = { accountId, incidentId, kind: 'nobody_reached', at: news.at } as const;
      const { sourceName, openedAt } = news;
      const about = { sourceName, openedAt: new Date(openedAt).toISOString(), because: ALL_FAILED };
      await writeAll(client, {
        ...noWrites(),
        entries: [{ ...told, detail: ALL_FAILED }],
        notices: [{ ...told, id: newId(), once: incidentId, about }],
      });
    }
    return news.became;
  });
}

/** Why nobody was reached; absent if nothing could be planned. */
const ALL_FAILED = 'all_failed';

/** How many open incidents one look covers. */
const PAGE = 500;

/** Open incidents whose reach is not recorded yet. `last`: where the look ended; null if there are no more. */
export interface Unjudged {
  last: { at: string; id: string } | null;
  incidents: { accountId: string; id: string }[];
}

const unjudgedStatement: Statement<Unjudged> = {
  name: 'unjudged_incidents',
  text: `
WITH t AS MATERIALIZED (SELECT tocsin_now() AS now),
page AS MATERIALIZED (
  SELECT i.account_id, i.id, i.environment, i.unreached_at, i.auto_close_at FROM incident i
  WHERE i.status = 'open' AND i.auto_close_at < 'infinity' AND (i.auto_close_at, i.id) > ($1::timestamptz, $2::text)
  ORDER BY i.auto_close_at, i.id LIMIT ${PAGE}
),
news AS (
  SELECT i.account_id AS "accountId", i.id FROM page i CROSS JOIN t CROSS JOIN LATERAL (${VERDICT}) v WHERE ${IS_NEWS}
)
SELECT (
    SELECT json_build_object('at', auto_close_at::text, 'id', id) FROM page ORDER BY auto_close_at DESC, id DESC LIMIT 1
  ) AS last, coalesce((SELECT json_agg(n) FROM news n), '[]') AS incidents`,
};

/** Looks at the next open incidents after the place `after`, of all accounts. */
export async function findUnjudged(on: Connection, after: { at: string; id: string }): Promise<Unjudged> {
  const [found] = await run(on, unjudgedStatement, [after.at, after.id]);
  return found!;
}
