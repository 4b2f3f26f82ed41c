import type { MessageInitShape } from '@bufbuild/protobuf';
import type { InferEntity } from '@mikro-orm/postgresql';
import type { IncidentSchema } from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import { outcomeShown } from '../domain/incident.ts';
import { standingOf } from '../domain/standing.ts';
import { trippedBy } from '../domain/tripped.ts';
import { protoTime, timeAt } from '../rpc/proto-time.ts';
import type { Incident } from '../store/entities/incident.ts';

/**
 * Returns an incident as its message (DECISIONS.md "Incident record"). Null becomes the absent or empty field that the
 * proto names.
 */
export function incidentView(row: InferEntity<typeof Incident>): MessageInitShape<typeof IncidentSchema> {
  const reached = row.unreachedAt ? 'nobody' : 'somebody_maybe';
  return {
    id: row.id,
    sourceId: row.sourceId,
    locationId: row.locationId,
    mode: row.mode ?? '',
    environment: row.environment,
    status: row.status,
    outcome: outcomeShown(row.outcome, reached),
    standing: standingOf(
      { ...row, closedAt: row.closedAt ?? null, acknowledgedAt: row.acknowledgedAt ?? null },
      reached,
    ),
    openedAt: protoTime(row.openedAt),
    escalationEndsAt: protoTime(row.escalationEndsAt),
    ...timeAt('closedAt', row.closedAt),
    closeReason: row.closeReason ?? '',
    disposition: row.disposition ?? '',
    ...timeAt('acknowledgedAt', row.acknowledgedAt),
    acknowledgedBy: row.acknowledgedBy ?? '',
    acknowledgedVia: row.acknowledgedVia ?? '',
    triggerCount: row.triggerCount,
    lastTriggerAt: protoTime(row.lastTriggerAt),
    trippedBy: trippedBy(row.trippedKeys, row.trippedLabels),
    ...timeAt('silentSince', row.silentSince),
    traceId: row.traceId,
    sourceKind: row.copy.sourceKind,
    sourceName: row.copy.sourceName,
    locationName: row.copy.locationName,
    responseKind: row.copy.responseKind ?? '',
    responseText: row.copy.responseText ?? '',
    policyName: row.copy.policy?.name ?? '',
  };
}
