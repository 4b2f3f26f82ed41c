import type { ChannelKind } from '../../domain/delivery.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { outcomeShown } from './unreached.ts';

/**
 * How long something took, in milliseconds, over the incidents in which it happened; figures are null if it never did.
 */
export interface SpreadRow {
  count: number;
  mean: number | null;
  p50: number | null;
  p95: number | null;
  max: number | null;
}

/** What happened in the incidents that opened in one month. */
export interface TotalsRow {
  incidents: number;
  test_incidents: number;
  acknowledged: number;
  exhausted: number;
  nobody_to_alert: number;
  late_steps: number;
  missed_steps: number;
  deliveries: { channel: ChannelKind; sent: number; delivered: number; failed: number }[];
  to_applied: SpreadRow;
  to_first_attempt: SpreadRow;
  to_first_delivered: SpreadRow;
  to_acknowledged: SpreadRow;
}

const monthStatement: Statement<{ month: string }> = {
  name: 'this_month',
  text: `SELECT to_char(tocsin_now() AT TIME ZONE 'UTC', 'YYYY-MM') AS month`,
};

/**
 * The moments of a live incident are milliseconds after it opened. `no_carrier` does not count as an attempt. `OFFSET
 * 0` makes each incident use the index; joined, the planner would compare every incident with every entry of the
 * account.
 */
const totalsStatement: Statement<TotalsRow> = {
  name: 'month_totals',
  text: `
WITH opened AS MATERIALIZED (
  SELECT id, environment, ${outcomeShown('incident')} AS outcome, opened_at, ${after('applied_at')} AS applied, ${after('acknowledged_at')} AS acknowledged
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
-- A step that was called missed and then ran was late.
steps AS (
  SELECT bool_or(e.kind = 'step_late') AS ran
  FROM live l CROSS JOIN LATERAL (
    SELECT kind, round, step FROM incident_entry
    WHERE account_id = $1 AND incident_id = l.id AND kind IN ('step_late', 'step_missed') AND round IS NOT NULL OFFSET 0
  ) e
  GROUP BY l.id, e.round, e.step
),
channels AS (
  SELECT d.channel, count(*) FILTER (WHERE d.status IN ('sent', 'delivered')) AS sent,
    count(*) FILTER (WHERE d.status = 'delivered') AS delivered, count(*) FILTER (WHERE d.status = 'failed') AS failed
  FROM live l CROSS JOIN LATERAL (
    SELECT channel, status FROM delivery WHERE account_id = $1 AND incident_id = l.id OFFSET 0
  ) d
  GROUP BY d.channel
)
SELECT count(*)::int AS incidents, (SELECT count(*)::int FROM opened WHERE environment = 'test') AS test_incidents,
  count(acknowledged)::int AS acknowledged,
  count(*) FILTER (WHERE outcome = 'exhausted')::int AS exhausted,
  count(*) FILTER (WHERE outcome IN ('nobody_to_alert', 'nobody_reached'))::int AS nobody_to_alert,
  (SELECT count(*)::int FROM steps) AS late_steps, (SELECT count(*)::int FROM steps WHERE NOT ran) AS missed_steps,
  coalesce((SELECT json_agg(c) FROM channels c), '[]') AS deliveries,
  ${spread('applied')} AS to_applied, ${spread('attempted')} AS to_first_attempt,
  ${spread('delivered')} AS to_first_delivered, ${spread('acknowledged')} AS to_acknowledged
FROM live`,
};

function after(moment: string): string {
  return `(extract(epoch FROM ${moment} - opened_at) * 1000)::float8`;
}

function spread(figure: string): string {
  return `json_build_object('count', count(${figure}), 'mean', avg(${figure}), 'max', max(${figure}),
    'p50', percentile_disc(0.5) WITHIN GROUP (ORDER BY ${figure}),
    'p95', percentile_disc(0.95) WITHIN GROUP (ORDER BY ${figure}))`;
}

/** Returns the present month in UTC: `2026-11`. */
export async function thisMonth(on: Connection): Promise<string> {
  const [row] = await run(on, monthStatement, []);
  return row!.month;
}

/** Returns the totals of an account's incidents that opened from `from` on and before `to`. */
export async function readTotals(on: Connection, accountId: string, from: Date, to: Date): Promise<TotalsRow> {
  const [row] = await run(on, totalsStatement, [accountId, from, to]);
  return row!;
}
