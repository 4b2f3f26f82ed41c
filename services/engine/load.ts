import type { Action } from '../domain/action.ts';
import type { Incident, PendingTrigger, SourceState } from '../domain/incident.ts';
import type { ActionRow, SourceRow } from '../store/apply-statements.ts';

/** Rows of the database as the rules see them: times in milliseconds since 1970. */
export function stateOf(row: SourceRow): SourceState {
  return { armedMode: row.armed_mode, pending: pendingOf(row), incident: incidentOf(row) };
}

export function actionOf(row: ActionRow): Action {
  return {
    id: row.id,
    verb: row.verb,
    mode: row.mode,
    environment: row.environment,
    windowS: row.window_s,
    onlyWhenArmed: row.only_when_armed,
    traceId: row.trace_id,
    acceptedAt: row.accepted_at.getTime(),
    incidentId: row.incident_id,
    actor: row.actor,
    via: row.via,
    contactId: row.contact_id,
  };
}

function pendingOf(row: SourceRow): PendingTrigger | null {
  if (row.pending_id === null) return null;
  return {
    id: row.pending_id,
    dueAt: row.pending_due_at!.getTime(),
    mode: row.pending_mode!,
    traceId: row.pending_trace_id!,
    environment: row.pending_environment!,
    triggerCount: row.pending_count!,
    lastTriggerAt: row.pending_last_at!.getTime(),
  };
}

function incidentOf(row: SourceRow): Incident | null {
  if (row.incident_id === null) return null;
  return {
    id: row.incident_id,
    mode: row.incident_mode,
    environment: row.incident_environment,
    outcome: row.incident_outcome,
    openedAt: row.opened_at.getTime(),
    windowEndedAt: row.window_ended_at?.getTime() ?? null,
    escalationEndsAt: row.escalation_ends_at.getTime(),
    acknowledgedAt: row.acknowledged_at?.getTime() ?? null,
    acknowledgedBy: row.acknowledged_by,
    acknowledgedVia: row.acknowledged_via,
    acknowledgedContactId: row.acknowledged_contact_id,
    closedAt: null,
    closeReason: null,
    triggerCount: row.trigger_count,
    lastTriggerAt: row.last_trigger_at.getTime(),
    traceId: row.incident_trace_id,
  };
}
