import type { ChannelKind } from '../../domain/delivery.ts';
import { type Connection, run, type Statement } from '../../store/statement.ts';
import { outcomeShown } from '../../store/statements/unreached.ts';

/** How long something took over the incidents in which it happened; 0 if it never did. By proto JSON names. */
interface SpreadRow {
  count: number;
  meanMs: number;
  p50Ms: number;
  p95Ms: number;
  maxMs: number;
}

/** What happened in the incidents that opened in one month, by proto JSON names. */
interface TotalsRow {
  incidents: number;
  testIncidents: number;
  acknowledged: number;
  exhausted: number;
  nobodyToAlert: number;
  lateSteps: number;
  missedSteps: number;
  real: number;
  falseAlarms: number;
  tests: number;
  deliveries: { channel: ChannelKind; sent: number; delivered: number; failed: number }[];
  carriers: { carrier: string; sent: number; delivered: number; failed: number; passedOn: number }[];
  toApplied: SpreadRow;
  toFirstAttempt: SpreadRow;
  toFirstDelivered: SpreadRow;
  toAcknowledged: SpreadRow;
}

const monthStatement: Statement<{ month: string }> = {
  name: 'this_month',
  text: `SELECT to_char(tocsin_now() AT TIME ZONE 'UTC', 'YYYY-MM') AS month`,
};

/** Whoever is handed an incident, or asked again, acknowledges it once more: the first time counts. */
const FIRST_ACKNOWLEDGED = `(SELECT min(e.at) FROM incident_entry e
    WHERE e.account_id = incident.account_id AND e.incident_id = incident.id AND e.kind = 'acknowledged')`;

/** What became of messages. */
const COUNTED = `count(*) FILTER (WHERE status IN ('sent', 'delivered')) AS sent,
    count(*) FILTER (WHERE status = 'delivered') AS delivered, count(*) FILTER (WHERE status = 'failed') AS failed`;

/**
 * The moments of a live incident are milliseconds after it opened. `no_carrier` does not count as an attempt. `OFFSET
 * 0` makes each incident use the index; joined, the planner would compare every incident with every entry of the
 * account.
 */
const totalsStatement: Statement<TotalsRow> = {
  name: 'month_totals',
  text: `
WITH opened AS MATERIALIZED (
  SELECT id, environment, disposition, ${outcomeShown('incident')} AS outcome, opened_at, ${after('applied_at')} AS applied, ${after(FIRST_ACKNOWLEDGED)} AS acknowledged
  FROM incident WHERE account_id = $1 AND opened_at >= $2 AND opened_at < $3
),
live AS MATERIALIZED (
  SELECT o.*, ${after('d.attempted')} AS attempted, ${after('d.delivered')} AS delivered
  FROM opened o CROSS JOIN LATERAL (
    SELECT min(first_attempt_at) AS attempted, min(delivered_at) AS delivered FROM delivery d
    WHERE d.account_id = $1 AND d.incident_id = o.id AND d.kind = 'alert' AND d.status <> 'no_carrier'
  ) d
  WHERE o.environment = 'live'
),
-- A step reported as missed that ran later was late.
steps AS (
  SELECT bool_or(e.kind = 'step_late') AS ran
  FROM live l CROSS JOIN LATERAL (
    SELECT kind, round, step FROM incident_entry
    WHERE account_id = $1 AND incident_id = l.id AND kind IN ('step_late', 'step_missed') AND round IS NOT NULL OFFSET 0
  ) e
  GROUP BY l.id, e.round, e.step
),
messages AS MATERIALIZED (
  SELECT d.* FROM live l CROSS JOIN LATERAL (
    SELECT channel, status, carrier, carrier_tries FROM delivery WHERE account_id = $1 AND incident_id = l.id OFFSET 0
  ) d
),
channels AS (SELECT channel, ${COUNTED} FROM messages GROUP BY channel),
carriers AS (
  SELECT carrier, ${COUNTED}, count(*) FILTER (WHERE status = 'passed_on') AS "passedOn"
  FROM (
    SELECT carrier, status FROM messages WHERE carrier IS NOT NULL
    UNION ALL
    SELECT t->>'carrier', 'passed_on' FROM messages, jsonb_array_elements(coalesce(carrier_tries, '[]')) t
  ) asked
  GROUP BY carrier
)
SELECT count(*)::int AS incidents, (SELECT count(*)::int FROM opened WHERE environment = 'test') AS "testIncidents",
  count(acknowledged)::int AS acknowledged,
  count(*) FILTER (WHERE outcome = 'exhausted')::int AS exhausted,
  count(*) FILTER (WHERE outcome IN ('nobody_to_alert', 'nobody_reached'))::int AS "nobodyToAlert",
  count(*) FILTER (WHERE disposition = 'real')::int AS real,
  count(*) FILTER (WHERE disposition = 'false_alarm')::int AS "falseAlarms",
  count(*) FILTER (WHERE disposition = 'test')::int AS tests,
  (SELECT count(*)::int FROM steps) AS "lateSteps", (SELECT count(*)::int FROM steps WHERE NOT ran) AS "missedSteps",
  coalesce((SELECT json_agg(c) FROM channels c), '[]') AS deliveries,
  coalesce((SELECT json_agg(c ORDER BY c.carrier) FROM carriers c), '[]') AS carriers,
  ${spread('applied')} AS "toApplied", ${spread('attempted')} AS "toFirstAttempt",
  ${spread('delivered')} AS "toFirstDelivered", ${spread('acknowledged')} AS "toAcknowledged"
FROM live`,
};

function after(moment: string): string {
  return `(extract(epoch FROM ${moment} - opened_at) * 1000)::float8`;
}

function spread(figure: string): string {
  const percentile = (part: number) => `percentile_disc(${part}) WITHIN GROUP (ORDER BY ${figure})`;
  return `json_build_object('count', count(${figure}), 'meanMs', coalesce(avg(${figure}), 0),
    'p50Ms', coalesce(${percentile(0.5)}, 0), 'p95Ms', coalesce(${percentile(0.95)}, 0), 'maxMs', coalesce(max(${figure}), 0))`;
}

/** Returns the present month in UTC: `2026-11`. */
export async function thisMonth(db: Connection): Promise<string> {
  const [row] = await run(db, monthStatement, []);
  return row!.month;
}

/** Returns the totals of an account's incidents that opened from `from` on and before `to`. */
export async function readTotals(db: Connection, accountId: string, from: Date, to: Date): Promise<TotalsRow> {
  const [row] = await run(db, totalsStatement, [accountId, from, to]);
  return row!;
}
