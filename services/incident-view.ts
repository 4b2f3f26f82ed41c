import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { InferEntity } from '@mikro-orm/postgresql';
import type { IncidentSchema } from '../gen/tocsin/incident/v1/timeline_pb.ts';
import type { Incident } from './store/incident.ts';

/** An incident as its message (DECISIONS.md "Incident record"). Null becomes the absent or empty field that the proto names. */
export function incidentView(row: InferEntity<typeof Incident>): MessageInitShape<typeof IncidentSchema> {
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
    sourceKind: row.copy.sourceKind,
    sourceName: row.copy.sourceName,
    locationName: row.copy.locationName,
    responseKind: row.copy.responseKind ?? '',
    policyName: row.copy.policy?.name ?? '',
  };
}

/** A time that may be absent: the field is left out, because a proto timestamp cannot be null. */
function at<Field extends string>(field: Field, time: Date | null | undefined): Partial<Record<Field, Timestamp>> {
  return time ? ({ [field]: timestampFromDate(time) } as Partial<Record<Field, Timestamp>>) : {};
}
