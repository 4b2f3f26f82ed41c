import type { CeilingFacts, ChargedAlert } from '../domain/spend.ts';
import { type Connection, run, type Statement } from './statement.ts';

/** What domain/spend.ts `ceilingVerdict` asks, with the day (UTC, `2026-11-22`) and the time at which it is so. */
export type CeilingNow = Omit<CeilingFacts, 'alert'> & { day: string; now: Date };

/**
 * What was leased at the same time is ordered by its number: of two that ask at once only one counts the other, and what is
 * left for one is not refused to both.
 */
const factsStatement: Statement<CeilingNow> = {
  name: 'ceiling_facts',
  text: `
WITH t AS MATERIALIZED (SELECT tocsin_now() AS now, (tocsin_now() AT TIME ZONE 'UTC')::date AS day),
mine AS MATERIALIZED (SELECT lease_until, seq FROM delivery WHERE account_id = $1 AND id = $2),
ahead AS (
  SELECT u.channel, u.contact_id AS "contactId", i.source_id AS "sourceId"
  FROM mine m JOIN delivery u ON (u.lease_until, u.seq) < (m.lease_until, m.seq)
  JOIN incident i ON i.account_id = u.account_id AND i.id = u.incident_id
  WHERE u.account_id = $1 AND u.status = 'sending' AND u.channel IN ('text', 'call')
)
SELECT t.day::text AS day, t.now, a.daily_spend_ceiling_cents AS "ceilingCents",
  coalesce(s.cents, 0) AS "accountCents", coalesce(o.cents, 0) AS "sourceCents",
  coalesce((SELECT json_agg(ahead) FROM ahead), '[]') AS "underWay",
  CASE WHEN EXISTS (
    SELECT FROM delivery e JOIN incident p ON p.account_id = e.account_id AND p.id = e.incident_id
    WHERE e.account_id = $1 AND e.contact_id = $4 AND e.channel = $5 AND p.source_id = $3
      AND e.sent_at >= t.day::timestamp AT TIME ZONE 'UTC'
  ) THEN 'today' ELSE 'not_today' END AS told
FROM account a CROSS JOIN t
LEFT JOIN spend s ON s.account_id = a.id AND s.day = t.day
LEFT JOIN source_spend o ON o.account_id = a.id AND o.day = t.day AND o.source_id = $3
WHERE a.id = $1`,
};

/** Reads what is known when a leased text or call is asked whether it goes. */
export async function readCeiling(
  on: Connection,
  { accountId, id }: { accountId: string; id: string },
  { sourceId, contactId, channel }: ChargedAlert,
): Promise<CeilingNow> {
  const [row] = await run(on, factsStatement, [accountId, id, sourceId, contactId, channel]);
  return row!;
}
