import type { IncidentCopy } from '../../domain/alert.ts';
import type { ChannelKind, DeliveryStatus } from '../../domain/delivery.ts';
import type { CloseReason, Incident, Via } from '../../domain/incident.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { type AlertRow, moreBefore } from './alert-row.ts';
import { outcomeShown } from './unreached.ts';

/** A delivery with its incident, as the person to whom it went asks about it. */
export interface RespondingDelivery extends AlertRow {
  first_attempt_at: Date | null;
  source_id: string;
  outcome: Incident['outcome'];
  acknowledged_at: Date | null;
  acknowledged_via: Via | null;
  acknowledged_contact_id: string | null;
  closed_at: Date | null;
  close_reason: CloseReason | null;
  /** The database's time. */
  now: Date;
}

/**
 * The one statement without an account: a link and a carrier name a delivery by its id, whose signature was checked before
 * (services/responder/links.ts). Everything after it asks within the account that is found here. What a deleted account left is found
 * by nobody.
 */
const foundStatement: Statement<RespondingDelivery> = {
  name: 'responding_delivery',
  text: `
SELECT d.account_id, d.id, d.kind, d.round, d.step, d.contact_id, d.attempt, d.first_attempt_at, d.incident_id,
  i.source_id, i.environment, ${outcomeShown('i')} AS outcome, i.opened_at, i.acknowledged_at, i.acknowledged_by, i.acknowledged_via,
  i.acknowledged_contact_id, i.closed_at, i.close_reason, i.trigger_count, i.last_trigger_at, i.reply_code,
  ${moreBefore('i')} AS more_before, i.copy, t.now
FROM delivery d
JOIN incident i ON i.account_id = d.account_id AND i.id = d.incident_id
JOIN account a ON a.id = d.account_id
CROSS JOIN (SELECT tocsin_now() AS now) t
WHERE d.id = $1`,
};

/** A message of an incident, as its page lists it. */
export interface ToldMessage {
  contact_id: string;
  channel: ChannelKind;
  status: DeliveryStatus;
  reason: string | null;
  tries: number;
  planned_at: Date;
  due_at: Date;
  first_attempt_at: Date | null;
  sent_at: Date | null;
  delivered_at: Date | null;
}

/** The alerts of an incident in the order in which they were planned. */
const toldStatement: Statement<ToldMessage> = {
  name: 'told_of_incident',
  text: `
SELECT contact_id, channel, status, reason, tries, planned_at, due_at, first_attempt_at, sent_at, delivered_at FROM delivery
WHERE account_id = $1 AND incident_id = $2 AND kind = 'alert'
ORDER BY seq`,
};

/** An incident that a reply may mean. */
export interface RepliedIncident {
  account_id: string;
  incident_id: string;
  source_id: string;
  acknowledged_by: string | null;
  closed_at: Date | null;
  copy: IncidentCopy;
  now: Date;
}

/**
 * Those with this code, of all accounts: a code is short, and whose it is shows only in who wrote it. What is open comes
 * first; what closed more than $2 seconds ago is over for good.
 */
const repliedStatement: Statement<RepliedIncident> = {
  name: 'incidents_by_reply_code',
  text: `
SELECT i.account_id, i.id AS incident_id, i.source_id, i.acknowledged_by, i.closed_at, i.copy, t.now
FROM incident i JOIN account a ON a.id = i.account_id CROSS JOIN (SELECT tocsin_now() AS now) t
WHERE i.reply_code = $1 AND i.reply_code <> '' AND i.environment = 'live'
  AND (i.status = 'open' OR i.closed_at > t.now - make_interval(secs => $2))
ORDER BY i.status DESC, i.acknowledged_at DESC NULLS FIRST, i.opened_at DESC`,
};

const nowStatement: Statement<{ now: Date }> = { name: 'now', text: 'SELECT tocsin_now() AS now' };

/** The delivery of an id; null: there is none. */
export async function findResponding(on: Connection, deliveryId: string): Promise<RespondingDelivery | null> {
  const [row] = await run(on, foundStatement, [deliveryId]);
  return row ?? null;
}

export function readTold(on: Connection, accountId: string, incidentId: string): Promise<ToldMessage[]> {
  return run(on, toldStatement, [accountId, incidentId]);
}

export function incidentsByReplyCode(on: Connection, code: string, forS: number): Promise<RepliedIncident[]> {
  return run(on, repliedStatement, [code, forS]);
}

/** The database's time. */
export async function readNow(on: Connection): Promise<Date> {
  const [row] = await run(on, nowStatement, []);
  return row!.now;
}
