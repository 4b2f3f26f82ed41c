import type { IncidentCopy } from '../domain/alert.ts';
import type { Decision } from '../domain/decide.ts';
import { autoCloseAt, exhaustsAt, type Incident } from '../domain/incident.ts';
import type { SourceRow } from '../store/apply-statements.ts';
import { newId, newReplyCode } from '../store/id.ts';
import type { FoundPolicy } from '../store/policy-statement.ts';
import type { IncidentChange, StateWrite, Writes } from '../store/write-statements.ts';

/** Adds what the rules decided about one source to what the transaction writes. `policyOf` gives what an incident copies. */
export function addWrites(
  writes: Writes,
  row: SourceRow,
  decision: Decision,
  policyOf: (mode: Incident['mode']) => FoundPolicy | undefined,
): void {
  const { account_id, source_id } = row;
  const state = stateWrite(row, decision);
  if (moved(row, state)) writes.states.push(state);
  for (const { incident, isNew } of decision.incidents.values()) {
    const change = incidentChange(account_id, incident);
    if (!isNew) writes.closedOrChanged.push(change);
    else {
      writes.opened.push({
        ...change,
        source_id,
        location_id: row.location_id,
        mode: incident.mode,
        environment: incident.environment,
        reply_code: newReplyCode(),
        opened_at: iso(incident.openedAt),
        window_ended_at: isoOrNull(incident.windowEndedAt),
        trace_id: incident.traceId,
        copy: copyOf(row, policyOf(incident.mode)),
      });
    }
  }
  for (const { incidentId, at, kind, detail } of decision.entries) {
    writes.entries.push({ account_id, incident_id: incidentId, at: iso(at), kind, detail });
  }
  for (const { incidentId, planned } of decision.deliveries) {
    const { round, step, contactId, channel, status, reason, dueAt } = planned;
    writes.deliveries.push({
      account_id,
      id: newId(),
      incident_id: incidentId,
      kind: 'alert',
      round,
      step,
      contact_id: contactId,
      channel,
      status,
      reason,
      due_at: iso(dueAt),
    });
  }
  for (const { incidentId, at, what } of decision.cancellations) {
    writes.cancellations.push({ account_id, incident_id: incidentId, at: iso(at), what });
  }
  for (const { incidentId, at, kind } of decision.notices) {
    const { openedAt } = decision.incidents.get(incidentId)!.incident;
    const about = { sourceName: row.name, openedAt: iso(openedAt) };
    writes.notices.push({
      account_id,
      id: newId(),
      kind,
      once: incidentId,
      incident_id: incidentId,
      about,
      at: iso(at),
    });
  }
  for (const { actionId, outcome, incidentId, pendingId } of decision.outcomes) {
    writes.outcomes.push({
      account_id,
      source_id,
      id: actionId,
      outcome,
      incident_id: incidentId,
      pending_id: pendingId,
    });
  }
  for (const { pendingId, incidentId, traceId } of decision.settled) {
    writes.settled.push({ account_id, pending_id: pendingId, incident_id: incidentId, trace_id: traceId });
  }
}

function stateWrite(row: SourceRow, { state: { armedMode, pending } }: Decision): StateWrite {
  return {
    account_id: row.account_id,
    source_id: row.source_id,
    armed_mode: armedMode,
    pending_id: pending?.id ?? null,
    pending_due_at: isoOrNull(pending?.dueAt),
    pending_mode: pending?.mode ?? null,
    pending_environment: pending?.environment ?? null,
    pending_trace_id: pending?.traceId ?? null,
    pending_count: pending?.triggerCount ?? null,
    pending_last_at: isoOrNull(pending?.lastTriggerAt),
  };
}

function moved(row: SourceRow, state: StateWrite): boolean {
  const same =
    row.armed_mode === state.armed_mode &&
    row.pending_id === state.pending_id &&
    row.pending_count === state.pending_count &&
    isoOrNull(row.pending_due_at?.getTime()) === state.pending_due_at;
  return !same;
}

function incidentChange(account_id: string, incident: Incident): IncidentChange {
  return {
    account_id,
    id: incident.id,
    status: incident.closedAt === null ? 'open' : 'closed',
    outcome: incident.outcome,
    exhausts_at: isoOrNull(exhaustsAt(incident)),
    escalation_ends_at: iso(incident.escalationEndsAt),
    auto_close_at: iso(autoCloseAt(incident)),
    acknowledged_at: isoOrNull(incident.acknowledgedAt),
    acknowledged_by: incident.acknowledgedBy,
    acknowledged_via: incident.acknowledgedVia,
    acknowledged_contact_id: incident.acknowledgedContactId,
    closed_at: isoOrNull(incident.closedAt),
    close_reason: incident.closeReason,
    trigger_count: incident.triggerCount,
    last_trigger_at: iso(incident.lastTriggerAt),
  };
}

function copyOf(row: SourceRow, found: FoundPolicy | undefined): IncidentCopy {
  return {
    sourceKind: row.kind,
    sourceName: row.name,
    responseKind: row.response_kind,
    modeName: found?.modeName ?? null,
    locationName: row.location_name,
    locationAddress: row.location_address,
    policy: found?.policy ?? null,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function isoOrNull(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : iso(ms);
}
