import type { DeliveryKind } from '../../domain/alert.ts';
import type { ChannelKind, DeliveryStatus } from '../../domain/delivery.ts';
import type { NoticeAbout, NoticeKind } from '../../domain/notice.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { newestState } from './apply.ts';

/**
 * What one transaction of the engine writes, each list in one statement. Times are milliseconds since 1970 as ISO text.
 * The order of `writeAll` is part of the meaning: incidents that close make room for those that open, and deliveries
 * exist before they are cancelled.
 */
export interface Writes {
  states: StateWrite[];
  closedOrChanged: IncidentChange[];
  opened: IncidentInsert[];
  entries: { account_id: string; incident_id: string; at: string; kind: string; detail: string }[];
  deliveries: DeliveryInsert[];
  cancellations: { account_id: string; incident_id: string; at: string; what: 'alerts' | 'all' }[];
  notices: NoticeInsert[];
  settled: {
    account_id: string;
    account_seq: number;
    pending_id: string;
    incident_id: string | null;
    trace_id: string | null;
  }[];
}

/** An incident that was written, with its number. */
export interface OpenedIncident {
  id: string;
  seq: number;
}

export interface StateWrite {
  account_id: string;
  source_id: string;
  armed_mode: string | null;
  pending_id: string | null;
  pending_due_at: string | null;
  pending_mode: string | null;
  pending_environment: string | null;
  pending_trace_id: string | null;
  pending_count: number | null;
  pending_last_at: string | null;
}

export interface IncidentChange {
  account_id: string;
  id: string;
  status: 'open' | 'closed';
  outcome: string;
  exhausts_at: string | null;
  escalation_ends_at: string;
  auto_close_at: string;
  acknowledged_at: string | null;
  acknowledged_by: string | null;
  acknowledged_via: string | null;
  acknowledged_contact_id: string | null;
  closed_at: string | null;
  close_reason: string | null;
  trigger_count: number;
  last_trigger_at: string;
}

export interface IncidentInsert extends IncidentChange {
  source_id: string;
  location_id: string;
  mode: string | null;
  environment: string;
  reply_code: string;
  first_call_id: string;
  opened_at: string;
  window_ended_at: string | null;
  trace_id: string;
  copy: unknown;
}

export interface DeliveryInsert {
  account_id: string;
  id: string;
  incident_id: string;
  kind: DeliveryKind;
  round: number;
  step: number;
  contact_id: string;
  channel: ChannelKind;
  status: DeliveryStatus;
  reason: string | null;
  due_at: string;
}

/** Something that the owner of an account is told, each thing (`once`) one time. */
export interface NoticeInsert {
  account_id: string;
  id: string;
  kind: NoticeKind;
  /** What makes it the same thing: the incident, the day. */
  once: string;
  incident_id: string | null;
  about: NoticeAbout;
  at: string;
}

const CHANGE_COLUMNS = `status text, outcome text, escalation_ends_at timestamptz, auto_close_at timestamptz,
  exhausts_at timestamptz, acknowledged_at timestamptz, acknowledged_by text, acknowledged_via text,
  acknowledged_contact_id text, closed_at timestamptz, close_reason text, trigger_count int,
  last_trigger_at timestamptz`;

const statements: Record<keyof Writes, Statement<OpenedIncident>> = {
  states: {
    name: 'write_states',
    text: `
UPDATE source_state st SET armed_mode = r.armed_mode, pending_id = r.pending_id, pending_due_at = r.pending_due_at,
  pending_mode = r.pending_mode, pending_environment = r.pending_environment, pending_trace_id = r.pending_trace_id,
  pending_count = r.pending_count, pending_last_at = r.pending_last_at, version = nextval('source_state_version')
FROM json_to_recordset($1::json) AS r (account_id text, source_id text, armed_mode text, pending_id bigint,
  pending_due_at timestamptz, pending_mode text, pending_environment text, pending_trace_id uuid, pending_count int,
  pending_last_at timestamptz)
CROSS JOIN LATERAL (${newestState('ctid', 'r', 'source_id')}) o
WHERE st.ctid = o.ctid`,
  },
  closedOrChanged: {
    name: 'change_incidents',
    text: `
UPDATE incident i SET status = r.status, outcome = r.outcome, exhausts_at = r.exhausts_at,
  escalation_ends_at = r.escalation_ends_at, auto_close_at = r.auto_close_at, acknowledged_at = r.acknowledged_at,
  acknowledged_by = r.acknowledged_by, acknowledged_via = r.acknowledged_via,
  acknowledged_contact_id = r.acknowledged_contact_id, closed_at = r.closed_at, close_reason = r.close_reason,
  trigger_count = r.trigger_count, last_trigger_at = r.last_trigger_at
FROM json_to_recordset($1::json) AS r (account_id text, id text, ${CHANGE_COLUMNS})
WHERE i.account_id = r.account_id AND i.id = r.id`,
  },
  opened: {
    name: 'open_incidents',
    text: `
INSERT INTO incident (account_id, id, source_id, location_id, mode, environment, reply_code, first_call_id, opened_at,
  window_ended_at, trace_id, copy, status, outcome, escalation_ends_at, auto_close_at, exhausts_at, acknowledged_at, acknowledged_by,
  acknowledged_via, acknowledged_contact_id, closed_at, close_reason, trigger_count, last_trigger_at, applied_at)
SELECT account_id, id, source_id, location_id, mode, environment, reply_code, first_call_id, opened_at,
  window_ended_at, trace_id, copy, status, outcome, escalation_ends_at, auto_close_at, exhausts_at, acknowledged_at, acknowledged_by,
  acknowledged_via, acknowledged_contact_id, closed_at, close_reason, trigger_count, last_trigger_at, tocsin_now()
FROM json_to_recordset($1::json) AS r (account_id text, id text, source_id text, location_id text, mode text,
  environment text, reply_code text, first_call_id bigint, opened_at timestamptz, window_ended_at timestamptz,
  trace_id uuid, copy jsonb,   ${CHANGE_COLUMNS})
RETURNING id, seq::float8 AS seq`,
  },
  entries: {
    name: 'write_entries',
    text: `
INSERT INTO incident_entry (account_id, incident_id, at, kind, detail)
SELECT account_id, incident_id, at, kind, detail
FROM json_to_recordset($1::json) AS r (account_id text, incident_id text, at timestamptz, kind text, detail text)`,
  },
  deliveries: {
    name: 'write_deliveries',
    text: `
INSERT INTO delivery (account_id, id, incident_id, kind, round, step, contact_id, channel, status, reason, due_at,
  planned_at)
SELECT account_id, id, incident_id, kind, round, step, contact_id, channel, status, reason, due_at, due_at
FROM json_to_recordset($1::json) AS r (account_id text, id text, incident_id text, kind text, round int, step int,
  contact_id text, channel text, status text, reason text, due_at timestamptz)
ON CONFLICT (account_id, incident_id, kind, round, step, contact_id, channel) DO NOTHING`,
  },
  cancellations: {
    name: 'cancel_deliveries',
    text: `
UPDATE delivery d SET status = 'cancelled'
FROM json_to_recordset($1::json) AS r (account_id text, incident_id text, at timestamptz, what text)
WHERE d.account_id = r.account_id AND d.incident_id = r.incident_id AND (r.what = 'all' OR d.kind = 'alert')
  AND (d.status = 'scheduled' OR (d.status = 'suppressed' AND d.due_at > r.at))`,
  },
  notices: {
    name: 'write_notices',
    text: `
INSERT INTO notice (account_id, id, kind, once, incident_id, about, at, due_at)
SELECT account_id, id, kind, once, incident_id, about, at, at
FROM json_to_recordset($1::json) AS r (account_id text, id text, kind text, once text, incident_id text, about jsonb,
  at timestamptz)
ON CONFLICT (account_id, kind, once) DO NOTHING`,
  },
  settled: {
    name: 'end_windows',
    text: `
INSERT INTO window_end (pending_id, account_seq, incident_seq, trace_id)
SELECT r.pending_id, r.account_seq, i.seq, r.trace_id
FROM json_to_recordset($1::json) AS r (account_id text, account_seq bigint, pending_id bigint, incident_id text, trace_id uuid)
LEFT JOIN incident i ON i.account_id = r.account_id AND i.id = r.incident_id
ON CONFLICT (pending_id) DO NOTHING`,
  },
};

const ORDER: readonly (keyof Writes)[] = [
  'states',
  'closedOrChanged',
  'opened',
  'entries',
  'deliveries',
  'cancellations',
  'notices',
  'settled',
];

/** Nothing to write yet. */
export function noWrites(): Writes {
  return {
    states: [],
    closedOrChanged: [],
    opened: [],
    entries: [],
    deliveries: [],
    cancellations: [],
    notices: [],
    settled: [],
  };
}

/** Writes every list that is not empty, in order, and gives the incidents that opened. Belongs inside a transaction. */
export async function writeAll(on: Connection, writes: Writes): Promise<OpenedIncident[]> {
  const opened: OpenedIncident[] = [];
  for (const list of ORDER) {
    if (writes[list].length === 0) continue;
    const rows = await run(on, statements[list], [JSON.stringify(writes[list])]);
    if (list === 'opened') opened.push(...rows);
  }
  return opened;
}

/** Writes messages that follow from what `writeAll` wrote, in its transaction. */
export async function writeDeliveries(on: Connection, deliveries: readonly DeliveryInsert[]): Promise<void> {
  if (deliveries.length > 0) await run(on, statements.deliveries, [JSON.stringify(deliveries)]);
}
