import { type CeilingFacts, PARTS_OF_CEILING } from '../../../domain/spend.ts';
import { type Connection, run, type Statement } from '../../../store/statement.ts';

/** The facts for domain/spend.ts `ceilingVerdict`, with the day (UTC, `2026-11-22`) and the time they were read at. */
export type CeilingNow = Omit<CeilingFacts, 'alert'> & { day: string; now: Date };

/**
 * In cents. With more room than this below the ceiling, or without one, nothing else needs to be known: one account
 * cannot have more than that under way at a time.
 */
const FAR_BELOW_CENTS = 1_000;

/**
 * Messages leased at the same time are ordered by number: of two that ask at once only one counts the other, so that
 * what is left for one is not refused to both. OFFSET 0 makes each look up its own keys, whatever else is in the
 * tables.
 */
const factsStatement: Statement<CeilingNow & { id: string }> = {
  name: 'ceiling_facts',
  text: `
WITH t AS MATERIALIZED (SELECT tocsin_now() AS now, (tocsin_now() AT TIME ZONE 'UTC')::date AS day),
mine AS MATERIALIZED (
  SELECT d.*, i.source_id, s.kind FROM unnest($1::text[], $2::text[]) AS asked (account_id, id)
  CROSS JOIN LATERAL (
    SELECT account_id, id, incident_id, contact_id, channel, lease_until, seq FROM delivery
    WHERE account_id = asked.account_id AND id = asked.id OFFSET 0
  ) d CROSS JOIN LATERAL (SELECT source_id FROM incident WHERE account_id = d.account_id AND id = d.incident_id OFFSET 0) i
  CROSS JOIN LATERAL (SELECT kind FROM source WHERE account_id = d.account_id AND id = i.source_id OFFSET 0) s
)
SELECT m.id, t.day::text AS day, t.now, a.daily_spend_ceiling_cents AS "ceilingCents",
  coalesce(s.cents, 0) AS "accountCents", coalesce(o.cents, 0) AS "sourceCents",
  c.button_cap_cents AS "buttonCapCents",
  CASE WHEN n.place = 'far_below' THEN '[]' ELSE coalesce((
    SELECT json_agg(json_build_object('channel', u.channel, 'contactId', u.contact_id, 'sourceId', i.source_id))
    FROM delivery u CROSS JOIN LATERAL (
      SELECT source_id FROM incident WHERE account_id = u.account_id AND id = u.incident_id OFFSET 0
    ) i
    WHERE u.account_id = m.account_id AND u.status = 'sending' AND u.channel IN ('text', 'call')
      AND (u.lease_until, u.seq) < (m.lease_until, m.seq)
  ), '[]') END AS "underWay",
  CASE WHEN n.place = 'far_below' THEN 'today' WHEN EXISTS (
    SELECT FROM source_told e
    WHERE e.account_id = m.account_id AND e.day = t.day AND e.source_id = m.source_id
      AND e.contact_id = m.contact_id AND e.channel = m.channel
  ) THEN 'today' ELSE 'not_today' END AS told
FROM mine m CROSS JOIN t
CROSS JOIN LATERAL (SELECT daily_spend_ceiling_cents, daily_spend_cap_cents FROM account WHERE id = m.account_id OFFSET 0) a
LEFT JOIN LATERAL (SELECT cents FROM spend WHERE account_id = m.account_id AND day = t.day OFFSET 0) s ON true
LEFT JOIN LATERAL (
  SELECT cents FROM source_spend WHERE account_id = m.account_id AND day = t.day AND source_id = m.source_id OFFSET 0
) o ON true
CROSS JOIN LATERAL (
  SELECT CASE WHEN m.kind = 'alarm' THEN 0 ELSE a.daily_spend_cap_cents END AS button_cap_cents
) c
CROSS JOIN LATERAL (
  SELECT CASE WHEN (a.daily_spend_ceiling_cents = 0 OR (coalesce(s.cents, 0) + ${FAR_BELOW_CENTS} < a.daily_spend_ceiling_cents
      AND coalesce(o.cents, 0) + ${FAR_BELOW_CENTS} < a.daily_spend_ceiling_cents / ${PARTS_OF_CEILING}))
    AND (c.button_cap_cents = 0 OR coalesce(o.cents, 0) + ${FAR_BELOW_CENTS} < c.button_cap_cents) THEN 'far_below' ELSE 'near' END AS place
) n`,
};

/** Reads the facts that decide whether leased texts and calls may go, by the id of each. */
export async function readCeilings(
  db: Connection,
  deliveries: readonly { accountId: string; id: string }[],
): Promise<Map<string, CeilingNow>> {
  const values = [deliveries.map(({ accountId }) => accountId), deliveries.map(({ id }) => id)];
  const rows = deliveries.length === 0 ? [] : await run(db, factsStatement, values);
  return new Map(rows.map(({ id, ...now }) => [id, now]));
}
