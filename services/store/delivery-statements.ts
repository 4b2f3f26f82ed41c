import type { ChannelKind } from '../domain/delivery.ts';
import type { Plan } from '../domain/plan.ts';
import type { Environment } from '../domain/source.ts';
import type { IncidentCopy } from './incident.ts';
import { type Connection, run, type Statement } from './statement.ts';

/** A delivery that this worker has leased, with all that its message says. */
export interface LeasedDelivery {
  account_id: string;
  id: string;
  incident_id: string;
  round: number;
  step: number;
  contact_id: string;
  channel: ChannelKind;
  attempt: number;
  /** The database's time of the lease. */
  now: Date;
  environment: Environment;
  opened_at: Date;
  copy: IncidentCopy;
  plan: Plan;
  account_created_at: Date;
}

/**
 * Leases what is due on one channel, the oldest first: what is scheduled, and what a worker that died was sending. Only
 * for incidents that are open and that nobody has taken: closing cancels what is scheduled, this looks once more right
 * before sending (DECISIONS.md "Close or acknowledge").
 */
const leaseStatement: Statement<LeasedDelivery> = {
  name: 'lease_deliveries',
  text: `
WITH scheduled AS (
  SELECT account_id, id FROM delivery
  WHERE status = 'scheduled' AND channel = $1 AND due_at <= (SELECT tocsin_now())
  ORDER BY due_at, seq LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
),
lapsed AS (
  SELECT account_id, id FROM delivery
  WHERE status = 'sending' AND channel = $1 AND lease_until <= (SELECT tocsin_now())
  ORDER BY lease_until LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
),
due AS (
  SELECT * FROM lapsed UNION ALL SELECT * FROM scheduled LIMIT $2
)
UPDATE delivery d SET status = 'sending', attempt = d.attempt + 1, lease_until = t.now + make_interval(secs => $3)
FROM due, (SELECT tocsin_now() AS now) t, incident i, account a
WHERE d.account_id = due.account_id AND d.id = due.id
  AND i.account_id = d.account_id AND i.id = d.incident_id AND i.status = 'open' AND i.acknowledged_at IS NULL
  AND a.id = d.account_id
RETURNING d.account_id, d.id, d.incident_id, d.round, d.step, d.contact_id, d.channel, d.attempt, t.now,
  i.environment, i.opened_at, i.copy, a.plan, a.created_at AS account_created_at`,
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
  AND i.account_id = d.account_id AND i.id = d.incident_id AND (i.status = 'closed' OR i.acknowledged_at IS NOT NULL)`,
};

/** What an attempt came to. `retry_s`: seconds until the next one. */
export interface AttemptWrite {
  status: 'sent' | 'failed' | 'outbox' | 'scheduled';
  reason: string | null;
  providerRef: string | null;
  message: string | null;
  retryS: number | null;
}

/**
 * Records an attempt, if this worker still owns it: a later attempt is another worker's. A retry for an incident that is
 * over by now is cancelled instead.
 */
const recordStatement: Statement<{ status: string }> = {
  name: 'record_attempt',
  text: `
UPDATE delivery d SET
  status = CASE WHEN $4 = 'scheduled' AND (i.status = 'closed' OR i.acknowledged_at IS NOT NULL) THEN 'cancelled' ELSE $4 END,
  reason = $5, provider_ref = $6, message = $7, lease_until = NULL,
  due_at = CASE WHEN $4 = 'scheduled' THEN tocsin_now() + make_interval(secs => $8) ELSE d.due_at END,
  sent_at = CASE WHEN $4 = 'sent' THEN tocsin_now() END
FROM incident i
WHERE d.account_id = $1 AND d.id = $2 AND d.attempt = $3 AND d.status = 'sending'
  AND i.account_id = d.account_id AND i.id = d.incident_id
RETURNING d.status`,
};

/** The channels that a step has already used for a contact. */
const usedStatement: Statement<{ channel: ChannelKind }> = {
  name: 'channels_used',
  text: `
SELECT o.channel FROM delivery d
JOIN delivery o USING (account_id, incident_id, kind, round, step, contact_id)
WHERE d.account_id = $1 AND d.id = $2`,
};

/** Puts a message on another channel in the place of one that failed for good, due at once. */
const failOverStatement: Statement<never> = {
  name: 'fail_over',
  text: `
INSERT INTO delivery (account_id, id, incident_id, kind, round, step, contact_id, channel, status, due_at)
SELECT d.account_id, $3, d.incident_id, d.kind, d.round, d.step, d.contact_id, $4, 'scheduled', tocsin_now()
FROM delivery d JOIN incident i ON i.account_id = d.account_id AND i.id = d.incident_id
WHERE d.account_id = $1 AND d.id = $2 AND i.status = 'open' AND i.acknowledged_at IS NULL
ON CONFLICT (account_id, incident_id, kind, round, step, contact_id, channel) DO NOTHING`,
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

type Ref = Pick<LeasedDelivery, 'account_id' | 'id'>;

export function leaseDue(on: Connection, channel: ChannelKind, limit: number, leaseS: number) {
  return run(on, leaseStatement, [channel, limit, leaseS]);
}

export async function dropAbandoned(on: Connection, channel: ChannelKind): Promise<void> {
  await run(on, dropStatement, [channel]);
}

/** Gives the status that was written, or null when the delivery is no longer this worker's. */
export async function recordAttempt(on: Connection, delivery: LeasedDelivery, write: AttemptWrite) {
  const { status, reason, providerRef, message, retryS } = write;
  const { account_id, id, attempt } = delivery;
  const [row] = await run(on, recordStatement, [
    account_id,
    id,
    attempt,
    status,
    reason,
    providerRef,
    message,
    retryS ?? 0,
  ]);
  return row?.status ?? null;
}

export async function channelsUsed(on: Connection, delivery: Ref): Promise<ChannelKind[]> {
  const rows = await run(on, usedStatement, [delivery.account_id, delivery.id]);
  return rows.map(row => row.channel);
}

export async function failOver(on: Connection, delivery: Ref, newId: string, channel: ChannelKind): Promise<void> {
  await run(on, failOverStatement, [delivery.account_id, delivery.id, newId, channel]);
}

export async function nextDeliveryInMs(on: Connection, channel: ChannelKind): Promise<number | null> {
  const [row] = await run(on, nextStatement, [channel]);
  return row?.in_ms ?? null;
}
