import type { AlertFacts } from '../../domain/alert.ts';
import { type AfterAttempt, CHANNELS, type ChannelKind, leaseS } from '../../domain/delivery.ts';
import type { Plan } from '../../domain/plan.ts';
import { recentOf } from '../../domain/throttle.ts';
import type { Turn, Way } from '../../domain/turns.ts';
import { ms } from '../columns.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { type AlertedIncident, alertedFields, flaps, isAlarm, ofPanicButton, withAlerted } from './alerted-incident.ts';
import { OUTDATED, OVER, OVERTAKEN, TOO_LATE_FOR_DRILL } from './delivery-over.ts';
import { bringFailingForward } from './failing.ts';
import {
  type DueMessages,
  dueStatement,
  findDue,
  type LookFrom,
  pickedRows,
  type TurnTable,
  turnValues,
} from './turn.ts';

/** A delivery leased by this worker, with everything its message says. Times are milliseconds since 1970. */
export interface LeasedDelivery extends AlertFacts {
  incident: AlertedIncident;
  contactId: string;
  channel: ChannelKind;
  /** The contact's address of the channel that has it now (CopiedAddress `slot`); null: none was tried. */
  slot: number | null;
  /** The addresses that refused it for good. */
  refusedAt: readonly number[];
  /** Attempts made before this one, including any whose worker died. */
  tries: number;
  /** The way on which it was leased. */
  way: Way;
  place: 'first_of_incident' | 'repeat';
  alarm: 'calm' | 'flapping';
  /** When messages last went out to this contact over this channel (domain/throttle.ts `ThrottleFacts`). */
  recentAt: number[];
  plannedAt: number;
  /** The database's time of the lease. */
  now: number;
  plan: Plan;
  accountCreatedAt: number;
}

/** A delivery with the status that was written. */
export interface RecordedAttempt {
  accountId: string;
  id: string;
  status: string;
}

/** A retry of a first message counts like any other message. */
const DELIVERIES: TurnTable = {
  name: 'delivery',
  line: `((channel || '/' || account_id) COLLATE "C")`,
  channel: 'channel',
  first: "kind = 'alert' AND round = 0 AND step = 0 AND tries = 0",
  plannedAt: 'planned_at',
};

const dueStatementOfAll = dueStatement(DELIVERIES);

/** Makes failing messages due now, by the lines that `lineOf` names. */
export const bringDeliveriesForward = bringFailingForward(DELIVERIES);

/** Names what waits for the same carrier, as far as is known: the messages of an account on a channel. */
export function lineOf({ accountId, channel }: Pick<LeasedDelivery, 'accountId' | 'channel'>): string {
  return `${channel}/${accountId}`;
}

/**
 * Leases the messages whose turn it is, in the order in which they are to be sent. Only for incidents that are not
 * over: closing cancels what is scheduled, and this checks again right before sending (DECISIONS.md "Close or
 * acknowledge"). Messages of an incident that is over are cancelled: those that a worker was sending when it died, and
 * the rare retry or failover that was scheduled just as its incident closed. An incident's copy may be large, so only
 * one of its messages carries it.
 *
 * A failing message ends here too once a later one to the same person over the same channel went out: it says all that
 * this one would. While that one is on its way, this one waits for as long as its attempt may take.
 */
const leaseStatement: Statement<Record<string, unknown>> = {
  name: 'lease_deliveries',
  text: `
WITH ${pickedRows(DELIVERIES, 'account_id, id, incident_id, kind, round, step, contact_id, channel, planned_at, tries')},
message AS MATERIALIZED (
  SELECT d.tid, d.way, d.lapsed, CASE WHEN ${OVER} OR ${OUTDATED} OR ${TOO_LATE_FOR_DRILL} THEN 'over' WHEN ${OVERTAKEN} THEN 'overtaken' ELSE 'open' END AS state
  FROM picked d CROSS JOIN LATERAL (
    SELECT status, acknowledged_at, environment, opened_at FROM incident WHERE account_id = d.account_id AND id = d.incident_id OFFSET 0
  ) i
),
dropped AS (
  UPDATE delivery d SET status = 'cancelled', lease_until = NULL FROM message m WHERE d.ctid = m.tid AND m.state = 'over'
),
put_off AS (
  UPDATE delivery d SET due_at = t.now + make_interval(secs => $8) FROM message m, t WHERE d.ctid = m.tid AND m.state = 'overtaken'
),
leased AS (
  UPDATE delivery d SET status = 'sending', attempt = d.attempt + 1, tries = d.tries + m.lapsed,
    first_attempt_at = coalesce(d.first_attempt_at, t.now), lease_until = t.now + make_interval(secs => $8)
  FROM message m, t WHERE d.ctid = m.tid AND m.state = 'open'
  RETURNING d.*, m.way, t.now
)
SELECT d.account_id AS "accountId", d.id, d.kind, d.round, d.step, d.contact_id AS "contactId", d.channel, d.attempt, d.tries, d.slot,
  CASE WHEN d.carrier_tries IS NULL THEN '[]' ELSE jsonb_path_query_array(d.carrier_tries, '$[*] ? (@.refused == "for_good").slot') END AS "refusedAt",
  ${ms('d.first_attempt_at')} AS "firstAttemptAt", ${ms('d.planned_at')} AS "plannedAt", d.way, ${ms('d.now')} AS now,
  a.plan, ${ms('a.created_at')} AS "accountCreatedAt",
  ${alertedFields('CASE WHEN d.nth = 1 THEN i.copy END')},
  CASE WHEN EXISTS (
    SELECT FROM delivery o
    WHERE o.account_id = d.account_id AND o.contact_id = d.contact_id AND o.channel = d.channel AND o.incident_id = d.incident_id
      AND (o.sent_at IS NOT NULL
        OR (o.status IN ('scheduled', 'sending') AND (o.due_at, o.seq) < (d.due_at, d.seq)))
  ) THEN 'repeat' ELSE 'first_of_incident' END AS place,
  CASE WHEN ${flaps('i')} THEN 'flapping' ELSE 'calm' END AS alarm,
  ARRAY(SELECT ${ms('o.sent_at')} FROM delivery o
    WHERE o.account_id = d.account_id AND o.contact_id = d.contact_id AND o.channel = d.channel
      AND o.sent_at > d.now - make_interval(secs => $10) AND (${isAlarm('i')} OR ${ofPanicButton('o')})
    ORDER BY o.sent_at DESC LIMIT $9) AS "recentAt"
FROM (SELECT *, row_number() OVER (PARTITION BY account_id, incident_id ORDER BY due_at, seq) AS nth FROM leased) d
CROSS JOIN LATERAL (SELECT * FROM incident WHERE account_id = d.account_id AND id = d.incident_id OFFSET 0) i
CROSS JOIN LATERAL (SELECT plan, created_at FROM account WHERE id = d.account_id OFFSET 0) a
ORDER BY d.way = 'failing', CASE WHEN d.way = 'failing' THEN d.planned_at END DESC, d.due_at, d.seq`,
};

/**
 * Records attempts that this worker still owns: a later attempt belongs to another worker, and what the carrier has
 * reported meanwhile stands. A retry for an incident that is over by now is cancelled instead. What was not tried does
 * not count as an attempt; a message throttled before its first attempt is late on purpose (engine/watch/monitor.ts). One that
 * was asked to wait was tried, whatever puts it off later.
 */
const recordStatement: Statement<RecordedAttempt> = {
  name: 'record_attempts',
  text: `
UPDATE delivery d SET
  status = CASE WHEN r.status = 'scheduled' AND ${OVER} THEN 'cancelled' ELSE r.status END,
  reason = r.reason, provider_ref = coalesce(r.provider_ref, d.provider_ref), message = r.message, lease_until = NULL,
  due_at = CASE WHEN r.status = 'scheduled' THEN t.now + make_interval(secs => r.retry_s) ELSE d.due_at END,
  tries = d.tries + r.tried,
  first_attempt_at = CASE WHEN r.first_attempt <> 'not_yet' THEN d.first_attempt_at END,
  audited = CASE WHEN r.reason = 'throttled' AND r.first_attempt = 'not_yet' THEN 'put_off' ELSE d.audited END,
  carrier_away_at = CASE WHEN r.away = 'carrier' THEN t.now WHEN r.tried = 0 THEN d.carrier_away_at END,
  carrier = coalesce(r.carrier, d.carrier), slot = coalesce(r.slot, d.slot),
  asked_of = CASE WHEN r.answered = 'at_carrier' THEN r.carrier ELSE d.asked_of END,
  asked_at = CASE WHEN r.answered = 'at_carrier' THEN t.now ELSE d.asked_at END,
  sent_at = CASE WHEN r.status IN ('sent', 'delivered') THEN t.now END,
  delivered_at = CASE WHEN r.status = 'delivered' THEN t.now END
FROM json_to_recordset($1::json) AS r (account_id text, id text, attempt int, status text, reason text,
  provider_ref text, message text, retry_s float8, tried int, first_attempt text, away text, carrier text, answered text, slot int)
CROSS JOIN (SELECT tocsin_now() AS now) t, incident i
WHERE d.account_id = r.account_id AND d.id = r.id AND d.attempt = r.attempt AND d.status = 'sending'
  AND i.account_id = d.account_id AND i.id = d.incident_id
RETURNING d.account_id AS "accountId", d.id, d.status`,
};

/** Records when a message last arrived at an address (DECISIONS.md "Contact"). */
const arrivedStatement: Statement<never> = {
  name: 'contact_channels_arrived',
  text: `
UPDATE contact_channel c SET last_delivered_at = t.now
FROM json_to_recordset($1::json) AS r (account_id text, contact_id text, channel text, slot int)
CROSS JOIN (SELECT tocsin_now() AS now) t
WHERE c.account_id = r.account_id AND c.contact_id = r.contact_id AND c.channel = r.channel AND c.slot = r.slot`,
};

/** Returns what is due on a channel (turn.ts `findDue`). */
export function findDueDeliveries(db: Connection, channel: ChannelKind, from: LookFrom): Promise<DueMessages> {
  return findDue(db, dueStatementOfAll, channel, from);
}

/**
 * Leases the messages whose turn it is on a channel; `due` is the result of the look before. Returns them in sending
 * order.
 */
export async function leaseDeliveries(
  db: Connection,
  channel: ChannelKind,
  turns: readonly Turn[],
  due: DueMessages,
): Promise<LeasedDelivery[]> {
  const { most, withinS } = recentOf(channel);
  const values = [...turnValues(channel, turns, due), leaseS(channel), most, withinS];
  const leased = (await run(db, leaseStatement, values)).map(withAlerted) as unknown as LeasedDelivery[];
  const copies = new Map(leased.flatMap(({ incident: { id, copy } }) => (copy === null ? [] : [[id, copy]])));
  for (const { incident } of leased) incident.copy = copies.get(incident.id)!;
  return leased;
}

/**
 * Records what follows attempts. Returns the rows written; attempts that no longer belong to this worker are left out.
 */
export function recordAttempts(
  db: Connection,
  attempts: readonly { delivery: LeasedDelivery; after: AfterAttempt }[],
): Promise<RecordedAttempt[]> {
  const rows = attempts.map(({ delivery, after }) => ({
    account_id: delivery.accountId,
    id: delivery.id,
    attempt: delivery.attempt,
    status: after.status,
    reason: 'reason' in after ? after.reason : null,
    provider_ref: 'providerRef' in after ? after.providerRef : null,
    message: after.status === 'no_carrier' ? after.message : null,
    retry_s: after.status === 'scheduled' ? after.retryAfterS : 0,
    tried: triesOf(after),
    first_attempt: isUntried(delivery, after) ? 'not_yet' : 'made',
    away: 'carrier' in after && after.carrier === 'away' ? 'carrier' : null,
    carrier: 'carriedBy' in after ? after.carriedBy : null,
    answered: 'answered' in after ? after.answered : null,
    slot: delivery.slot,
  }));
  return run(db, recordStatement, [JSON.stringify(rows)]);
}

/** Returns how many of a message's attempts this was. */
export function triesOf(after: AfterAttempt): 0 | 1 {
  return 'counts' in after && after.counts !== 'tried' ? 0 : 1;
}

/** Tells whether a message still waits for its first attempt, though it was leased. */
export function isUntried(leased: { firstAttemptAt: number; now: number }, after: AfterAttempt): boolean {
  return 'counts' in after && after.counts === 'not_tried' && leased.firstAttemptAt === leased.now;
}

const dueCountStatement: Statement<{ channel: ChannelKind; messages: number }> = {
  name: 'count_due_messages',
  text: `
SELECT c.channel, (SELECT count(*)::int FROM (
  SELECT FROM delivery WHERE channel = c.channel AND status = 'scheduled' AND due_at <= (SELECT tocsin_now()) LIMIT $2
) due) AS messages FROM unnest($1::text[]) AS c (channel)`,
};

/** Returns how many messages are due and wait, by channel. Counts no further than 10,000. */
export function countDueMessages(db: Connection): Promise<{ channel: ChannelKind; messages: number }[]> {
  return run(db, dueCountStatement, [[...CHANNELS], 10_000]);
}

type Address = Pick<LeasedDelivery, 'accountId' | 'contactId' | 'channel' | 'slot'>;

/** Records that messages arrived at these addresses now. */
export async function markArrived(db: Connection, ...at: readonly Address[]): Promise<void> {
  if (at.length === 0) return;
  const rows = at.map(({ accountId, contactId, channel, slot }) => ({
    account_id: accountId,
    contact_id: contactId,
    channel,
    slot: slot ?? 0,
  }));
  await run(db, arrivedStatement, [JSON.stringify(rows)]);
}
