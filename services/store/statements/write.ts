import type { DeliveryKind, IncidentCopy } from '../../domain/alert.ts';
import type { DeliveryStatus } from '../../domain/delivery.ts';
import { HANDED_OVER_STEP, type ScheduledDelivery } from '../../domain/escalation.ts';
import type { Changes, Incident, IncidentEntry } from '../../domain/incident.ts';
import type { NoticeAbout, NoticeKind } from '../../domain/notice.ts';
import type { TrippedKeys } from '../../domain/tripped.ts';
import { type Columns, namesOf, rowsOf, setOf } from '../columns.ts';
import { INCIDENT } from '../entities/incident.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { newestState } from './apply.ts';
import { labelsKept, labelsNow } from './tripped.ts';

/**
 * What one transaction of the engine writes, each list with one statement. Times are milliseconds since 1970. The order
 * of `writeAll` matters: incidents that close make room for those that open, and deliveries exist before they are
 * cancelled; what was handed over after the acknowledgement in question stays.
 */
export interface Writes {
  states: StateWrite[];
  closedOrChanged: IncidentWrite[];
  opened: OpenedWrite[];
  entries: (OfAccount & IncidentEntry)[];
  deliveries: DeliveryWrite[];
  cancellations: (OfAccount & Changes['cancellations'][number])[];
  notices: NoticeWrite[];
  windowsEnded: WindowEndedWrite[];
}

interface OfAccount {
  accountId: string;
}

/** An incident that was written, with its number. */
export interface OpenedIncident {
  id: string;
  seq: number;
}

export interface StateWrite extends OfAccount {
  sourceId: string;
  armedMode: string | null;
  pendingId: string | null;
  pendingDueAt: number | null;
  pendingMode: string | null;
  pendingEnvironment: string | null;
  pendingTraceId: string | null;
  pendingCount: number | null;
  pendingLastAt: number | null;
  pendingTrippedKeys: TrippedKeys | null;
  pendingSilentSince: number | null;
}

/** An incident as the rules left it, with what follows from that. */
export interface IncidentWrite extends OfAccount, Incident {
  status: 'open' | 'closed';
  looksAt: number | null;
  autoCloseAt: number;
}

export interface OpenedWrite extends IncidentWrite {
  sourceId: string;
  locationId: string;
  replyCode: string;
  firstCallId: string;
  copy: IncidentCopy;
}

export interface DeliveryWrite extends OfAccount, Omit<ScheduledDelivery, 'status' | 'reason'> {
  id: string;
  incidentId: string;
  kind: DeliveryKind;
  status: DeliveryStatus;
  reason: string | null;
}

/** Something the owner of an account is notified of; the same thing (`once`) only one time. */
export interface NoticeWrite extends OfAccount {
  id: string;
  kind: NoticeKind;
  /** What identifies the same thing: the incident, the day. */
  once: string;
  incidentId: string | null;
  /** The contact to whom it goes; absent: to the owners. */
  contactId?: string;
  about: NoticeAbout;
  at: number;
}

export interface WindowEndedWrite extends OfAccount {
  accountSeq: number;
  pendingId: string;
  incidentId: string | null;
  traceId: string | null;
}

const STATE: Columns<Omit<StateWrite, 'accountId' | 'sourceId'>> = {
  armedMode: 'text',
  pendingId: 'bigint',
  pendingDueAt: 'time',
  pendingMode: 'text',
  pendingEnvironment: 'text',
  pendingTraceId: 'uuid',
  pendingCount: 'int',
  pendingLastAt: 'time',
  pendingTrippedKeys: 'jsonb',
  pendingSilentSince: 'time',
};

const CHANGED: Columns<IncidentWrite> = {
  ...INCIDENT,
  accountId: 'text',
  status: 'text',
  looksAt: 'time',
  autoCloseAt: 'time',
};

const OPENED: Columns<OpenedWrite> = {
  ...CHANGED,
  sourceId: 'text',
  locationId: 'text',
  replyCode: 'text',
  firstCallId: 'bigint',
  copy: 'jsonb',
};

const ENTRY: Columns<Writes['entries'][number]> = {
  accountId: 'text',
  incidentId: 'text',
  at: 'time',
  kind: 'text',
  detail: 'text',
  by: 'text',
};

const DELIVERY: Columns<DeliveryWrite> = {
  accountId: 'text',
  id: 'text',
  incidentId: 'text',
  kind: 'text',
  round: 'int',
  step: 'int',
  contactId: 'text',
  channel: 'text',
  status: 'text',
  reason: 'text',
  insteadOf: 'text',
  dueAt: 'time',
};

const CANCELLATION: Columns<Writes['cancellations'][number]> = {
  accountId: 'text',
  incidentId: 'text',
  at: 'time',
  what: 'text',
};

const NOTICE: Columns<NoticeWrite> = {
  accountId: 'text',
  id: 'text',
  kind: 'text',
  once: 'text',
  incidentId: 'text',
  contactId: 'text',
  about: 'jsonb',
  at: 'time',
};

const WINDOWS_ENDED: Columns<WindowEndedWrite> = {
  accountId: 'text',
  accountSeq: 'bigint',
  pendingId: 'bigint',
  incidentId: 'text',
  traceId: 'uuid',
};

/** In the order of writing. */
const statements: Record<keyof Writes, Statement<OpenedIncident>> = {
  states: {
    name: 'write_states',
    text: `
UPDATE source_state st SET ${setOf(STATE)}, version = nextval('source_state_version')
FROM ${rowsOf<StateWrite>({ accountId: 'text', sourceId: 'text', ...STATE })}
CROSS JOIN LATERAL (${newestState('ctid', 'r', 'source_id')}) o
WHERE st.ctid = o.ctid`,
  },
  closedOrChanged: {
    name: 'change_incidents',
    text: `
UPDATE incident i SET ${setOf(CHANGED)}, tripped_labels = ${labelsKept('i', 'r.tripped_keys')}
FROM ${rowsOf(CHANGED)}
WHERE i.account_id = r.account_id AND i.id = r.id`,
  },
  opened: {
    name: 'open_incidents',
    text: `
INSERT INTO incident (${namesOf(OPENED)}, tripped_labels, applied_at)
SELECT ${namesOf(OPENED)}, ${labelsNow('r.account_id', 'r.tripped_keys')}, tocsin_now() FROM ${rowsOf(OPENED)}
RETURNING id, seq::float8 AS seq`,
  },
  entries: {
    name: 'write_entries',
    text: `
INSERT INTO incident_entry (account_id, incident_id, at, kind, detail, by)
SELECT r.account_id, r.incident_id, r.at, r.kind, r.detail, coalesce(r.by, '') FROM ${rowsOf(ENTRY)}`,
  },
  deliveries: {
    name: 'write_deliveries',
    text: `
INSERT INTO delivery (${namesOf(DELIVERY)}, planned_at) SELECT ${namesOf(DELIVERY)}, due_at FROM ${rowsOf(DELIVERY)}
ON CONFLICT (account_id, incident_id, kind, round, step, contact_id, channel) DO NOTHING`,
  },
  cancellations: {
    name: 'cancel_deliveries',
    text: `
UPDATE delivery d SET status = 'cancelled',
  audited = CASE WHEN d.audited IS NULL AND d.planned_at > r.at AND d.status = 'scheduled' THEN 'in_time' ELSE d.audited END
FROM ${rowsOf(CANCELLATION)}
WHERE d.account_id = r.account_id AND d.incident_id = r.incident_id
  AND (r.what = 'all' OR (d.kind = 'alert' AND (d.step < ${HANDED_OVER_STEP} OR d.planned_at < r.at)))
  AND (d.status = 'scheduled' OR (d.status = 'suppressed' AND d.due_at > r.at))`,
  },
  notices: {
    name: 'write_notices',
    text: `
INSERT INTO notice (${namesOf(NOTICE)}) SELECT ${namesOf(NOTICE)} FROM ${rowsOf(NOTICE)}
ON CONFLICT (account_id, kind, once) DO NOTHING`,
  },
  windowsEnded: {
    name: 'end_windows',
    text: `
INSERT INTO window_end (pending_id, account_seq, incident_seq, trace_id)
SELECT r.pending_id, r.account_seq, i.seq, r.trace_id FROM ${rowsOf(WINDOWS_ENDED)}
LEFT JOIN incident i ON i.account_id = r.account_id AND i.id = r.incident_id
ON CONFLICT (pending_id) DO NOTHING`,
  },
};

const ORDER = Object.keys(statements) as (keyof Writes)[];

/** Nothing to write yet. */
export function noWrites(): Writes {
  const none = { states: [], closedOrChanged: [], opened: [], entries: [] };
  return { ...none, deliveries: [], cancellations: [], notices: [], windowsEnded: [] };
}

/**
 * Writes every list that is not empty, in order, and returns the incidents that opened. Call it inside a transaction.
 */
export async function writeAll(db: Connection, writes: Writes): Promise<OpenedIncident[]> {
  const opened: OpenedIncident[] = [];
  for (const list of ORDER) {
    if (writes[list].length === 0) continue;
    const rows = await run(db, statements[list], [JSON.stringify(writes[list])]);
    if (list === 'opened') opened.push(...rows);
  }
  return opened;
}

/** Writes messages that follow from what `writeAll` wrote, in its transaction. */
export async function writeDeliveries(db: Connection, deliveries: readonly DeliveryWrite[]): Promise<void> {
  if (deliveries.length > 0) await run(db, statements.deliveries, [JSON.stringify(deliveries)]);
}
