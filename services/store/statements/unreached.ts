import type { Pool } from 'pg';
import type { ChannelKind } from '../../domain/delivery.ts';
import { autoCloseAt, exhaustsAt, type Incident } from '../../domain/incident.ts';
import { ms } from '../columns.ts';
import { newId } from '../id.ts';
import { type Connection, inTransaction, run, type Statement } from '../statement.ts';
import { newestState, touchSources } from './apply.ts';
import { writeStepEntries } from './monitor.ts';
import { FAILING } from './turn.ts';
import { noWrites, writeAll } from './write.ts';

/** The outcome of incident `i` as shown, as an SQL expression (domain/incident.ts `outcomeShown`). */
export function outcomeShown(i: string): string {
  return `CASE WHEN ${i}.unreached_at IS NOT NULL AND ${i}.outcome IN ('alerting', 'exhausted') THEN 'nobody_reached' ELSE ${i}.outcome END`;
}

/** A judgement on whom an incident's messages reached so far, if anything follows from it. Times are milliseconds since 1970. */
interface Judgement {
  became: 'nobody_reached' | 'reached';
  /** Whether it is not recorded yet. */
  standing: 'news' | 'known';
  /** The step that goes now; null if none does. */
  next: { round: number; step: number } | null;
  at: number;
  sourceName: string;
  openedAt: number;
  outcome: Incident['outcome'];
}

/** The alerts `d` of incident `i`, as the beginning of a condition. */
const ALERTS = "d.account_id = i.account_id AND d.incident_id = i.id AND d.kind = 'alert'";

/**
 * The judgement on the messages of incident `i` that were due by `t.now`, as SQL. Those that are failing count as failed
 * until a carrier takes one of them.
 */
const VERDICT = `
  SELECT CASE
    WHEN bool_or(d.status IN ('sent', 'delivered')) THEN 'reached'
    WHEN bool_or(d.status IN ('scheduled', 'sending') AND NOT ${FAILING}) THEN 'not_known'
    WHEN bool_or(d.status IN ('failed', 'no_carrier', 'scheduled', 'sending')) THEN 'nobody_reached'
  END AS became
  FROM delivery d WHERE ${ALERTS} AND d.planned_at <= t.now`;

/** Whether that verdict `v` is not recorded yet. */
const IS_NEWS = `(i.environment = 'live' AND ((v.became = 'nobody_reached' AND i.unreached_at IS NULL)
  OR (v.became = 'reached' AND i.unreached_at IS NOT NULL)))`;

/** The contacts who said of incident `i` that they cannot. */
const DECLINED = `SELECT e.detail FROM incident_entry e WHERE e.account_id = i.account_id AND e.incident_id = i.id AND e.kind = 'declined'`;

/** Whether somebody said that they cannot, and of all others no message that was due by `t.now` arrived or may still do so at once. */
const NOBODY_LEFT = `(EXISTS (${DECLINED}) AND NOT EXISTS (
  SELECT FROM delivery d WHERE ${ALERTS} AND d.planned_at <= t.now AND d.contact_id NOT IN (${DECLINED})
    AND (d.status IN ('sent', 'delivered') OR (d.status IN ('scheduled', 'sending') AND NOT ${FAILING}))))`;

/** The channels over which nothing leaves at all, as far as the messages of incident `i` show. */
const AWAY = `
  SELECT d.channel FROM delivery d WHERE ${ALERTS} AND d.tries > 0
  GROUP BY d.channel HAVING bool_and(d.carrier_away_at IS NOT NULL OR d.status = 'no_carrier')`;

/**
 * The step that goes at once where the verdict `v` says that nobody was reached (DECISIONS.md "All that was due has
 * failed"), or where those who were reached cannot (DECISIONS.md "Cannot"): the next one of the same round that tells anybody else. Further rounds keep their times: they are the net for a carrier that is
 * away. So does a step that names only channels that are away themselves.
 */
const NEXT_STEP = `
  SELECT s.round, s.step FROM (
    SELECT d.round, d.step FROM delivery d
    WHERE ${ALERTS} AND d.status = 'scheduled' AND d.planned_at > t.now AND d.contact_id NOT IN (${DECLINED}) ORDER BY d.planned_at, d.round, d.step LIMIT 1
  ) s
  WHERE (v.became = 'nobody_reached' OR ${NOBODY_LEFT}) AND i.environment = 'live' AND i.status = 'open' AND i.acknowledged_at IS NULL
    AND s.round = (SELECT max(d.round) FROM delivery d WHERE ${ALERTS} AND d.planned_at <= t.now)
    AND EXISTS (
      SELECT FROM delivery o WHERE o.account_id = i.account_id AND o.incident_id = i.id AND o.kind = 'alert'
        AND o.round = s.round AND o.step = s.step AND o.channel NOT IN (${AWAY}))`;

/**
 * DECISIONS.md "Nobody reached": no carrier accepted any message so far, and none waits for its chance. Cancelled
 * messages do not count. As soon as a carrier accepts one, somebody is reached.
 */
const judgeStatement: Statement<Judgement> = {
  name: 'judge_reached',
  text: `
SELECT v.became, CASE WHEN ${IS_NEWS} THEN 'news' ELSE 'known' END AS standing,
  CASE WHEN n.step IS NOT NULL THEN json_build_object('round', n.round, 'step', n.step) END AS next,
  ${ms('t.now')} AS at, i.copy->>'sourceName' AS "sourceName", ${ms('i.opened_at')} AS "openedAt", i.outcome
FROM incident i CROSS JOIN (SELECT tocsin_now() AS now) t CROSS JOIN LATERAL (${VERDICT}) v
LEFT JOIN LATERAL (${NEXT_STEP}) n ON true
WHERE i.account_id = $1 AND i.id = $2 AND (${IS_NEWS} OR n.step IS NOT NULL)`,
};

/** Locks the source too: whatever is applied to it waits, since it writes the times of its incident anew. */
const lockStatement: Statement<never> = {
  name: 'lock_incident',
  text: `
SELECT FROM incident i
CROSS JOIN LATERAL (${newestState('version', 'i', 'source_id')} FOR NO KEY UPDATE) st
WHERE i.account_id = $1 AND i.id = $2 FOR NO KEY UPDATE OF i`,
};

const markStatement: Statement<never> = {
  name: 'mark_unreached',
  text: 'UPDATE incident SET unreached_at = to_timestamp($3::float8 / 1000) WHERE account_id = $1 AND id = $2',
};

/** Moves the untried messages of a step to now, and its planned time too: by that the next verdict counts them. */
const bringForwardStatement: Statement<{ channel: ChannelKind; earlierS: number }> = {
  name: 'bring_step_forward',
  text: `
UPDATE delivery d SET moved_from = d.planned_at, due_at = t.now, planned_at = t.now
FROM (SELECT to_timestamp($3::float8 / 1000) AS now) t
WHERE d.account_id = $1 AND d.incident_id = $2 AND d.kind = 'alert' AND d.round = $4 AND d.step = $5
  AND d.status = 'scheduled' AND d.planned_at > t.now
RETURNING d.channel, extract(epoch FROM d.moved_from - t.now)::float8 AS "earlierS"`,
};

/** When the escalation ends, now that a step goes earlier: with the last message that is planned. */
const endsStatement: Statement<{ endsAt: number }> = {
  name: 'escalation_ends',
  text: `
SELECT ${ms('max(planned_at)')} AS "endsAt" FROM delivery
WHERE account_id = $1 AND incident_id = $2 AND kind = 'alert' AND instead_of IS NULL`,
};

const timesStatement: Statement<never> = {
  name: 'move_escalation_end',
  text: `
UPDATE incident SET escalation_ends_at = to_timestamp($3::float8 / 1000), looks_at = to_timestamp($4::float8 / 1000),
  auto_close_at = to_timestamp($5::float8 / 1000)
WHERE account_id = $1 AND id = $2`,
};

/** What came of judging an incident: what is new, and the channels on which something is due now. */
export interface Judged {
  became: Judgement['became'] | 'as_before';
  due: readonly ChannelKind[];
}

/**
 * Records whether an incident reached anybody so far; if it reached nobody, its owner is notified, once, and its next
 * step goes now. Call it after the commit of a message that failed, is failing or was accepted: of two that end at the
 * same time, the later one sees both.
 */
export async function judgeReached(pool: Pool, accountId: string, incidentId: string): Promise<Judged> {
  const about = [accountId, incidentId];
  const asBefore = { became: 'as_before', due: [] } as const;
  if ((await run(pool, judgeStatement, about)).length === 0) return asBefore;
  return inTransaction(pool, async client => {
    await run(client, lockStatement, about);
    const [judgement] = await run(client, judgeStatement, about);
    if (judgement === undefined) return asBefore;
    const due = judgement.next === null ? [] : await goOn(client, accountId, incidentId, judgement);
    if (judgement.standing === 'known') return { became: 'as_before', due };
    const isNobody = judgement.became === 'nobody_reached';
    await run(client, markStatement, [...about, isNobody ? judgement.at : null]);
    if (isNobody) await tellNobodyReached(client, accountId, incidentId, judgement);
    return { became: judgement.became, due };
  });
}

async function tellNobodyReached(
  db: Connection,
  accountId: string,
  incidentId: string,
  { at, sourceName, openedAt, next }: Judgement,
): Promise<void> {
  const told = { accountId, incidentId, kind: 'nobody_reached', at } as const;
  const goesNow = next === null ? {} : { round: next.round, step: next.step };
  const about = { sourceName, openedAt: new Date(openedAt).toISOString(), because: ALL_FAILED, ...goesNow };
  await writeAll(db, {
    ...noWrites(),
    entries: [{ ...told, detail: ALL_FAILED }],
    notices: [{ ...told, id: newId(), once: incidentId, about }],
  });
}

/** Brings the next step forward. Returns the channels it goes over. */
async function goOn(
  db: Connection,
  accountId: string,
  incidentId: string,
  { at, next, outcome }: Judgement,
): Promise<ChannelKind[]> {
  const { channels, earlierS } = await bringStepForward(db, { accountId, incidentId, at, outcome, ...next! });
  const detail = String(Math.round(earlierS));
  await writeStepEntries(db, [{ accountId, incidentId, ...next!, kind: 'step_brought_forward', at, detail }]);
  await touchSources(
    db,
    await run(db, sourceStatement, [accountId, incidentId]).then(rows => rows.map(({ seq }) => seq)),
  );
  return channels;
}

const sourceStatement: Statement<{ seq: number }> = {
  name: 'source_of_incident',
  text: `
SELECT s.seq::float8 AS seq FROM incident i JOIN source s ON s.account_id = i.account_id AND s.id = i.source_id
WHERE i.account_id = $1 AND i.id = $2`,
};

/**
 * Sends a step at the time `at` instead of when it was planned, with the times of the incident that depend on it. Returns the channels it
 * goes over. Call it under the lock of the source, whose version the caller moves (touchSources).
 */
export async function bringStepForward(
  db: Connection,
  of: { accountId: string; incidentId: string; at: number; outcome: Incident['outcome']; round: number; step: number },
): Promise<{ channels: ChannelKind[]; earlierS: number }> {
  const { accountId, incidentId, at, outcome, round, step } = of;
  const about = [accountId, incidentId];
  const moved = await run(db, bringForwardStatement, [...about, at, round, step]);
  // Called off meanwhile.
  if (moved.length === 0) return { channels: [], earlierS: 0 };
  const [ends] = await run(db, endsStatement, about);
  const escalationEndsAt = ends!.endsAt;
  const open = { environment: 'live', outcome, acknowledgedAt: null, closedAt: null, escalationEndsAt } as const;
  await run(db, timesStatement, [...about, escalationEndsAt, exhaustsAt(open), autoCloseAt(open)]);
  const channels = [...new Set(moved.map(({ channel }) => channel))];
  return { channels, earlierS: Math.max(...moved.map(({ earlierS }) => earlierS)) };
}

/** Why nobody was reached; absent if nothing could be planned. */
const ALL_FAILED = 'all_failed';

/** How many open incidents one look covers. */
const PAGE = 500;

/** Open incidents of which it is not recorded whom they reached, or whose next step should go now. `last`: where the look ended; null if there are no more. */
export interface Unjudged {
  last: { at: string; id: string } | null;
  incidents: { accountId: string; id: string }[];
}

const unjudgedStatement: Statement<Unjudged> = {
  name: 'unjudged_incidents',
  text: `
WITH t AS MATERIALIZED (SELECT tocsin_now() AS now),
page AS MATERIALIZED (
  SELECT i.account_id, i.id, i.status, i.environment, i.unreached_at, i.acknowledged_at, i.auto_close_at FROM incident i
  WHERE i.status = 'open' AND i.auto_close_at < 'infinity' AND (i.auto_close_at, i.id) > ($1::timestamptz, $2::text)
  ORDER BY i.auto_close_at, i.id LIMIT ${PAGE}
),
news AS (
  SELECT i.account_id AS "accountId", i.id FROM page i CROSS JOIN t CROSS JOIN LATERAL (${VERDICT}) v
  WHERE ${IS_NEWS} OR EXISTS (${NEXT_STEP})
)
SELECT (
    SELECT json_build_object('at', auto_close_at::text, 'id', id) FROM page ORDER BY auto_close_at DESC, id DESC LIMIT 1
  ) AS last, coalesce((SELECT json_agg(n) FROM news n), '[]') AS incidents`,
};

/** Looks at the next open incidents after the place `after`, of all accounts. */
export async function findUnjudged(db: Connection, after: { at: string; id: string }): Promise<Unjudged> {
  const [found] = await run(db, unjudgedStatement, [after.at, after.id]);
  return found!;
}
