import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { InferEntity } from '@mikro-orm/postgresql';
import type {
  CallSchema,
  DeliverySchema,
  IncidentSchema,
  TimelineEntrySchema,
} from '../gen/tocsin/incident/v1/incident_pb.ts';
import type { Action, CallLog } from './store/call.ts';
import type { Delivery, Incident, IncidentEntry } from './store/incident.ts';

type IncidentRow = InferEntity<typeof Incident>;
type DeliveryRow = InferEntity<typeof Delivery>;
type CallRow = InferEntity<typeof CallLog>;

/** Rows of the store as the messages of tocsin.incident.v1. Null becomes the absent or empty field that the proto names. */
export function incidentView(row: IncidentRow): MessageInitShape<typeof IncidentSchema> {
  return {
    id: row.id,
    sourceId: row.sourceId,
    locationId: row.locationId,
    mode: row.mode ?? '',
    environment: row.environment,
    status: row.status,
    outcome: row.outcome,
    openedAt: timestampFromDate(row.openedAt),
    escalationEndsAt: timestampFromDate(row.escalationEndsAt),
    ...at('closedAt', row.closedAt),
    closeReason: row.closeReason ?? '',
    ...at('acknowledgedAt', row.acknowledgedAt),
    acknowledgedBy: row.acknowledgedBy ?? '',
    triggerCount: row.triggerCount,
    lastTriggerAt: timestampFromDate(row.lastTriggerAt),
    traceId: row.traceId,
    sourceName: row.copy.sourceName,
    locationName: row.copy.locationName,
    responseKind: row.copy.responseKind ?? '',
    policyName: row.copy.policy?.name ?? '',
  };
}

/** Everything that happened in an incident, in order of time; at the same time: calls, then changes, then deliveries. */
export function timelineView(
  incident: IncidentRow,
  entries: readonly InferEntity<typeof IncidentEntry>[],
  calls: readonly CallRow[],
  deliveries: readonly DeliveryRow[],
): MessageInitShape<typeof TimelineEntrySchema>[] {
  const timeline = [
    ...calls.map(row => ({ time: row.at, entry: { case: 'call' as const, value: callView(row) } })),
    ...entries.map(row => ({
      time: row.at,
      entry: { case: 'change' as const, value: { kind: row.kind, detail: row.detail } },
    })),
    ...deliveries.map(row => ({
      time: row.sentAt ?? row.dueAt,
      entry: { case: 'delivery' as const, value: deliveryView(incident, row) },
    })),
  ];
  return timeline
    .sort((a, b) => a.time.getTime() - b.time.getTime())
    .map(({ time, entry }) => ({ at: timestampFromDate(time), entry }));
}

/** A call that is stored and not applied yet. */
export function waitingCallView(row: InferEntity<typeof Action>): MessageInitShape<typeof CallSchema> {
  return {
    traceId: row.traceId,
    at: timestampFromDate(row.acceptedAt),
    verb: row.verb,
    sourceId: row.sourceId,
    mode: row.mode ?? '',
    environment: row.environment,
    outcome: 'accepted',
    keyId: row.keyId ?? '',
  };
}

/** A call that was applied or refused. */
export function callView(row: CallRow): MessageInitShape<typeof CallSchema> {
  return {
    traceId: row.traceId,
    at: timestampFromDate(row.at),
    verb: row.verb,
    sourceId: row.sourceId,
    mode: row.mode ?? '',
    environment: row.environment ?? '',
    outcome: row.outcome,
    ...at('appliedAt', row.appliedAt),
    incidentId: row.incidentId ?? '',
    keyId: row.keyId ?? '',
    cancelledPending: row.verb === 'disarm' && row.pendingId !== null,
  };
}

function deliveryView(incident: IncidentRow, row: DeliveryRow): MessageInitShape<typeof DeliverySchema> {
  const contacts = incident.copy.policy?.steps.flatMap(step => step.contacts) ?? [];
  return {
    id: row.id,
    kind: row.kind,
    round: row.round,
    step: row.step,
    contactName: contacts.find(contact => contact.id === row.contactId)?.name ?? '',
    channel: row.channel,
    status: row.status,
    reason: row.reason ?? '',
    dueAt: timestampFromDate(row.dueAt),
    ...at('sentAt', row.sentAt),
    attempts: row.attempt,
    keptMessage: row.message ?? '',
  };
}

/** A time that may be absent: the field is left out, because a proto timestamp cannot be null. */
function at<Field extends string>(field: Field, time: Date | null | undefined): Partial<Record<Field, Timestamp>> {
  return time ? ({ [field]: timestampFromDate(time) } as Partial<Record<Field, Timestamp>>) : {};
}
