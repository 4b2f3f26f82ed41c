import { type AfterAttempt, type ChannelKind, leaseS } from '../domain/delivery.ts';
import type { Plan } from '../domain/plan.ts';
import { THROTTLE } from '../domain/throttle.ts';
import type { AlertRow } from './alert-row.ts';
import { OVER } from './delivery-over.ts';
import { type Connection, run, type Statement } from './statement.ts';

/** A delivery that this worker has leased, with all that its message says. */
export interface LeasedDelivery extends AlertRow {
  channel: ChannelKind;
  /** Attempts that were made before this one; one that a worker took with it counts. */
  tries: number;
  first_attempt_at: Date;
  /** Which of the two ways it was leased on. */
  way: 'first' | 'others';
  place: 'first_of_incident' | 'repeat';
  /** See domain/throttle.ts. */
  nth_recent_at: Date | null;
  /** The database's time of the lease. */
  now: Date;
  plan: Plan;
  account_created_at: Date;
}

/** A delivery with the status that was written. */
export interface RecordedAttempt {
  account_id: string;
  id: string;
  status: string;
}

/**
 * Leases what is due on one channel, on two ways. The first messages of incidents, the newest first, so that an incident
 * that opens now is not told behind ten thousand others; and everything, the oldest first, what a worker that died was
 * sending before all. Only for incidents that are not over: closing cancels what is scheduled, this looks once more right
 * before sending (DECISIONS.md "Close or acknowledge").
 */
const leaseStatement: Statement<LeasedDelivery> = {
  name: 'lease_deliveries',
  text: `
WITH first AS (
  SELECT account_id, id FROM delivery
  WHERE status = 'scheduled' AND kind = 'alert' AND round = 0 AND step = 0 AND tries = 0
    AND channel = $1 AND due_at <= (SELECT tocsin_now())
  ORDER BY due_at DESC LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
),
scheduled AS (
  SELECT account_id, id FROM delivery
  WHERE status = 'scheduled' AND channel = $1 AND due_at <= (SELECT tocsin_now())
  ORDER BY due_at, seq LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
),
lapsed AS (
  SELECT account_id, id FROM delivery
  WHERE status = 'sending' AND channel = $1 AND lease_until <= (SELECT tocsin_now())
  ORDER BY lease_until LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
),
due AS (
  SELECT DISTINCT ON (account_id, id) account_id, id, way, lapsed FROM (
    SELECT account_id, id, 'first' AS way, 0 AS lapsed FROM first
    UNION ALL SELECT * FROM (
      SELECT account_id, id, 'others', 1 FROM lapsed UNION ALL SELECT account_id, id, 'others', 0 FROM scheduled LIMIT $3
    ) others
  ) both_ways
  ORDER BY account_id, id, way
)
UPDATE delivery d SET status = 'sending', attempt = d.attempt + 1, tries = d.tries + due.lapsed,
  first_attempt_at = coalesce(d.first_attempt_at, t.now), lease_until = t.now + make_interval(secs => $4)
FROM due, (SELECT tocsin_now() AS now) t, incident i, account a
WHERE d.account_id = due.account_id AND d.id = due.id
  AND i.account_id = d.account_id AND i.id = d.incident_id AND NOT ${OVER}
  AND a.id = d.account_id
RETURNING d.account_id, d.id, d.incident_id, d.kind, d.round, d.step, d.contact_id, d.channel, d.attempt, d.tries,
  d.first_attempt_at, due.way, t.now, i.environment, i.opened_at, i.trigger_count, i.last_trigger_at, i.acknowledged_by,
  i.reply_code, i.copy, a.plan, a.created_at AS account_created_at,
  CASE WHEN EXISTS (
    SELECT FROM delivery o
    WHERE o.account_id = d.account_id AND o.contact_id = d.contact_id AND o.channel = d.channel
      AND o.sent_at IS NOT NULL AND o.incident_id = d.incident_id
  ) THEN 'repeat' ELSE 'first_of_incident' END AS place,
  (SELECT o.sent_at FROM delivery o
    WHERE o.account_id = d.account_id AND o.contact_id = d.contact_id AND o.channel = d.channel
      AND o.sent_at > t.now - make_interval(secs => $6)
    ORDER BY o.sent_at DESC OFFSET $5 LIMIT 1) AS nth_recent_at`,
};

/**
 * Cancels what is due for an incident that is over: what a worker that died was sending, and the rare retry or failover
 * that was scheduled in the very moment in which its incident closed.
 */
const dropStatement: Statement<never> = {
  name: 'drop_abandoned',
  text: `
UPDATE delivery d SET status = 'cancelled', lease_until = NULL
FROM incident i
WHERE d.channel = $1 AND (
    (d.status = 'scheduled' AND d.due_at <= (SELECT tocsin_now()))
    OR (d.status = 'sending' AND d.lease_until <= (SELECT tocsin_now())))
  AND i.account_id = d.account_id AND i.id = d.incident_id AND ${OVER}`,
};

/**
 * Records attempts that this worker still owns: a later attempt is another worker's, and what the carrier has said
 * meanwhile stands. A retry for an incident that is over by now is cancelled instead. What was not tried does not count as
 * an attempt; what a throttle puts off before the first one is late on purpose (engine/auditor.ts).
 */
const recordStatement: Statement<RecordedAttempt> = {
  name: 'record_attempts',
  text: `
UPDATE delivery d SET
  status = CASE WHEN r.status = 'scheduled' AND ${OVER} THEN 'cancelled' ELSE r.status END,
  reason = r.reason, provider_ref = coalesce(r.provider_ref, d.provider_ref), message = r.message, lease_until = NULL,
  due_at = CASE WHEN r.status = 'scheduled' THEN t.now + make_interval(secs => r.retry_s) ELSE d.due_at END,
  tries = d.tries + r.tried,
  first_attempt_at = CASE WHEN d.tries + r.tried > 0 THEN d.first_attempt_at END,
  audited = CASE WHEN r.reason = 'throttled' AND d.tries + r.tried = 0 THEN 'put_off' ELSE d.audited END,
  sent_at = CASE WHEN r.status IN ('sent', 'delivered') THEN t.now END,
  delivered_at = CASE WHEN r.status = 'delivered' THEN t.now END
FROM json_to_recordset($1::json) AS r (account_id text, id text, attempt int, status text, reason text,
  provider_ref text, message text, retry_s float8, tried int)
CROSS JOIN (SELECT tocsin_now() AS now) t, incident i
WHERE d.account_id = r.account_id AND d.id = r.id AND d.attempt = r.attempt AND d.status = 'sending'
  AND i.account_id = d.account_id AND i.id = d.incident_id
RETURNING d.account_id, d.id, d.status`,
};

/** When a message last arrived at an address (DECISIONS.md "Contact"). */
const arrivedStatement: Statement<never> = {
  name: 'contact_channels_arrived',
  text: `
UPDATE contact_channel c SET last_delivered_at = t.now
FROM json_to_recordset($1::json) AS r (account_id text, contact_id text, channel text)
CROSS JOIN (SELECT tocsin_now() AS now) t
WHERE c.account_id = r.account_id AND c.contact_id = r.contact_id AND c.channel = r.channel`,
};

/** How many milliseconds until a channel has something due again; null when nothing is scheduled. */
const nextStatement: Statement<{ in_ms: number | null }> = {
  name: 'next_delivery',
  text: `
SELECT (extract(epoch FROM least(
  (SELECT min(due_at) FROM delivery WHERE status = 'scheduled' AND channel = $1),
  (SELECT min(lease_until) FROM delivery WHERE status = 'sending' AND channel = $1)
) - tocsin_now()) * 1000)::float8 AS in_ms`,
};

/** Leases at most `first` and `others` deliveries on the two ways. */
export function leaseDue(on: Connection, channel: ChannelKind, { first, others }: { first: number; others: number }) {
  const { most, withinS } = THROTTLE[channel];
  return run(on, leaseStatement, [channel, first, others, leaseS(channel), most - 1, withinS]);
}

export async function dropAbandoned(on: Connection, channel: ChannelKind): Promise<void> {
  await run(on, dropStatement, [channel]);
}

/** Records what follows attempts. Gives the rows that were written; those that are no longer this worker's are left out. */
export function recordAttempts(
  on: Connection,
  attempts: readonly { delivery: LeasedDelivery; after: AfterAttempt }[],
): Promise<RecordedAttempt[]> {
  const rows = attempts.map(({ delivery: { account_id, id, attempt }, after }) => ({
    account_id,
    id,
    attempt,
    status: after.status,
    reason: 'reason' in after ? after.reason : null,
    provider_ref: 'providerRef' in after ? after.providerRef : null,
    message: after.status === 'outbox' ? after.message : null,
    retry_s: after.status === 'scheduled' ? after.retryAfterS : 0,
    tried: 'counts' in after && after.counts === 'not_tried' ? 0 : 1,
  }));
  return run(on, recordStatement, [JSON.stringify(rows)]);
}

type Address = Pick<LeasedDelivery, 'account_id' | 'contact_id' | 'channel'>;

/** Notes that messages arrived at these addresses now. */
export async function markArrived(on: Connection, ...at: readonly Address[]): Promise<void> {
  if (at.length === 0) return;
  const rows = at.map(({ account_id, contact_id, channel }) => ({ account_id, contact_id, channel }));
  await run(on, arrivedStatement, [JSON.stringify(rows)]);
}

export async function nextDeliveryInMs(on: Connection, channel: ChannelKind): Promise<number | null> {
  const [row] = await run(on, nextStatement, [channel]);
  return row?.in_ms ?? null;
}
