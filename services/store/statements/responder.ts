import type { AlertFacts } from '../../domain/alert.ts';
import type { ChannelKind, DeliveryStatus } from '../../domain/delivery.ts';
import { type Columns, fieldsOf, ms } from '../columns.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { type AlertedIncident, alertedFields, withAlerted } from './alerted-incident.ts';

/** A delivery with its incident, for the person it went to. Times are milliseconds since 1970. */
export interface RespondingDelivery extends Omit<AlertFacts, 'firstAttemptAt'> {
  incident: AlertedIncident;
  contactId: string;
  channel: ChannelKind;
  /** To which of the contact's addresses of the channel it went last (CopiedAddress); null: the first that may be used. */
  slot: number | null;
  /** The addresses to which it may have gone before, though nobody said so. */
  maybeAt: readonly number[];
  firstAttemptAt: number | null;
  /** Of a drill that was answered over this message: whether the person said how it rang. */
  ring: 'not_asked' | 'asked' | 'aloud' | 'silent';
  /** Whether any message of the incident was taken by a carrier, as far as is known. */
  reached: 'nobody' | 'somebody_maybe';
  /** The look-here links of keys that tripped the incident, by the numbers of the keys; null: none has one. */
  lookUrls: Readonly<Record<string, string>> | null;
  /** What is dialled for help at the place where it fired, as its owner has it now. Empty: none is known. */
  emergencyNumber: string;
  /** The name of the person who closed it; null: nobody did, or that is no longer known. */
  closedBy: string | null;
  /** The database's time. */
  now: number;
}

/**
 * The one statement without an account: a link and a carrier name a delivery by its id, whose signature was checked
 * before (services/responder/links.ts). Everything after it asks within the account found here. What a deleted account
 * left behind is never found.
 */
const foundStatement: Statement<Record<string, unknown>> = {
  name: 'responding_delivery',
  text: `
SELECT d.account_id AS "accountId", d.id, d.kind, d.round, d.step, d.contact_id AS "contactId", d.channel, d.attempt,
  d.slot, jsonb_path_query_array(coalesce(d.carrier_tries, '[]'), '$[*] ? (@.taken == "maybe").slot') AS "maybeAt",
  ${ms('d.first_attempt_at')} AS "firstAttemptAt", CASE WHEN i.unreached_at IS NULL THEN 'somebody_maybe' ELSE 'nobody' END AS reached, ${ms('t.now')} AS now,
  coalesce((
    SELECT coalesce(max(c.ring), 'asked') FROM contact_channel c
    WHERE i.environment = 'drill' AND c.account_id = d.account_id AND c.contact_id = d.contact_id AND c.channel = d.channel
      AND c.proven_in = i.id HAVING count(*) > 0
  ), 'not_asked') AS ring,
  CASE WHEN i.close_reason = 'console' THEN (
    SELECT c.actor FROM logged_call c WHERE c.incident_seq = i.seq AND c.verb IN ('close', 'call_off') AND c.outcome = 'closed' LIMIT 1
  ) END AS "closedBy",
  (SELECT jsonb_object_agg(n.seq, k.look_url) FROM jsonb_array_elements_text(i.tripped_keys) n (seq)
    JOIN api_key k ON k.account_id = i.account_id AND k.seq = n.seq::bigint
    WHERE k.look_url <> '' AND k.revoked_at IS NULL) AS "lookUrls",
  coalesce((SELECT l.emergency_number FROM location l WHERE l.account_id = i.account_id AND l.id = i.location_id), '') AS "emergencyNumber",
  ${alertedFields()}
FROM delivery d
JOIN incident i ON i.account_id = d.account_id AND i.id = d.incident_id
JOIN account a ON a.id = d.account_id
CROSS JOIN (SELECT tocsin_now() AS now) t
WHERE d.id = $1`,
};

/** A message of an incident, as its page lists it. Times are milliseconds since 1970. */
export interface ToldMessage {
  round: number;
  step: number;
  contactId: string;
  channel: ChannelKind;
  status: DeliveryStatus;
  reason: string | null;
  tries: number;
  plannedAt: number;
  dueAt: number;
  firstAttemptAt: number | null;
  sentAt: number | null;
  deliveredAt: number | null;
}

const TOLD: Columns<ToldMessage> = {
  round: 'int',
  step: 'int',
  contactId: 'text',
  channel: 'text',
  status: 'text',
  reason: 'text',
  tries: 'int',
  plannedAt: 'time',
  dueAt: 'time',
  firstAttemptAt: 'time',
  sentAt: 'time',
  deliveredAt: 'time',
};

/** The alerts of an incident in the order in which they were planned. */
const toldStatement: Statement<ToldMessage> = {
  name: 'told_of_incident',
  text: `
SELECT ${fieldsOf(TOLD, 'd')} FROM delivery d
WHERE d.account_id = $1 AND d.incident_id = $2 AND d.kind = 'alert'
ORDER BY d.seq`,
};

/** An incident that a reply may refer to. */
export interface RepliedIncident {
  accountId: string;
  incident: Pick<AlertedIncident, 'id' | 'sourceId' | 'environment' | 'acknowledgedBy' | 'closedAt' | 'copy'>;
}

/**
 * The incidents with this code, of all accounts: a code is short, and only the sender tells whose it is. Open ones come
 * first; those that closed more than $2 seconds ago are left out.
 */
const repliedStatement: Statement<RepliedIncident> = {
  name: 'incidents_by_reply_code',
  text: `
SELECT i.account_id AS "accountId", json_build_object('id', i.id, 'sourceId', i.source_id, 'environment', i.environment,
  'acknowledgedBy', i.acknowledged_by, 'closedAt', ${ms('i.closed_at')}, 'copy', i.copy) AS incident
FROM incident i JOIN account a ON a.id = i.account_id CROSS JOIN (SELECT tocsin_now() AS now) t
WHERE i.reply_code = $1 AND i.reply_code <> '' AND i.environment <> 'test'
  AND (i.status = 'open' OR i.closed_at > t.now - make_interval(secs => $2))
ORDER BY i.status DESC, i.acknowledged_at DESC NULLS FIRST, i.opened_at DESC`,
};

const nowStatement: Statement<{ now: Date }> = { name: 'now', text: 'SELECT tocsin_now() AS now' };

/** Returns the delivery with an id; null if there is none. */
export async function findResponding(db: Connection, deliveryId: string): Promise<RespondingDelivery | null> {
  const [row] = await run(db, foundStatement, [deliveryId]);
  return row === undefined ? null : (withAlerted(row) as unknown as RespondingDelivery);
}

/** The sealed number of somebody who lets those alerted beside them call. */
interface ShownNumber {
  contactId: string;
  number: string;
}

/** Of calls before that of texts; one that was never verified, or is not used any more, may be a stranger's. */
const shownNumbersStatement: Statement<ShownNumber> = {
  name: 'shown_numbers',
  text: `
SELECT c.id AS "contactId", n.address AS number
FROM contact c CROSS JOIN LATERAL (
  SELECT w.address FROM contact_channel w
  WHERE w.account_id = c.account_id AND w.contact_id = c.id AND w.channel IN ('call', 'text') AND w.verified_at IS NOT NULL
    AND w.disabled_reason IS NULL
  ORDER BY w.channel LIMIT 1
) n
WHERE c.account_id = $1 AND c.id = ANY ($2) AND c.show_number`,
};

/** Returns the sealed numbers of those of these contacts who let others see it, by their ids. */
export async function readShownNumbers(
  db: Connection,
  accountId: string,
  contactIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (contactIds.length === 0) return new Map();
  const rows = await run(db, shownNumbersStatement, [accountId, contactIds]);
  return new Map(rows.map(({ contactId, number }) => [contactId, number]));
}

export function readTold(db: Connection, accountId: string, incidentId: string): Promise<ToldMessage[]> {
  return run(db, toldStatement, [accountId, incidentId]);
}

/** What a person did to an incident, as its page lists it. `at` in milliseconds since 1970. */
export interface DoneByPerson {
  kind: 'noted' | 'handed_over' | 'declined' | 'next_step';
  by: string;
  detail: string;
  at: number;
}

const doneStatement: Statement<DoneByPerson> = {
  name: 'done_by_people',
  text: `
SELECT kind, by, detail, ${ms('at')} AS at FROM incident_entry
WHERE account_id = $1 AND incident_id = $2 AND kind IN ('noted', 'handed_over', 'declined', 'next_step') ORDER BY id`,
};

/** Returns what people did to an incident besides acknowledging and closing it, in order. */
export function readDone(db: Connection, accountId: string, incidentId: string): Promise<DoneByPerson[]> {
  return run(db, doneStatement, [accountId, incidentId]);
}

export function incidentsByReplyCode(db: Connection, code: string, forS: number): Promise<RepliedIncident[]> {
  return run(db, repliedStatement, [code, forS]);
}

/** Returns the database's time. */
export async function readNow(db: Connection): Promise<Date> {
  const [row] = await run(db, nowStatement, []);
  return row!.now;
}
