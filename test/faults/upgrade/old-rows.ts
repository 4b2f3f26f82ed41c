import type { Action } from '../../../services/domain/action.ts';
import type { decide } from '../../../services/domain/decide.ts';
import { CHANNELS } from '../../../services/domain/delivery.ts';
import { autoCloseAt, exhaustsAt, type Incident, type SourceState } from '../../../services/domain/incident.ts';
import { meansOf } from '../../../services/domain/reach.ts';
import { newId } from '../../../services/store/id.ts';

/** A row of a statement: the columns as the driver gives them. */
// biome-ignore lint/suspicious/noExplicitAny: rows of statements that are text.
export type Row = Record<string, any>;

export function factsOf(row: Row): Parameters<typeof decide>[0] {
  return {
    kind: row.kind,
    disabled: row.disabled,
    clearOnDisarm: row.clear_on_disarm,
    stillHappeningS: row.still_happening_s,
    means: meansOf({ plan: row.plan, accountCreatedAt: row.account_created_at.getTime() }, CHANNELS),
    policyFor: () => null,
    newId,
  };
}

export function actionOf(row: Row): Action {
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

export function stateOf(row: Row): SourceState {
  return {
    armedMode: row.armed_mode,
    pending:
      row.pending_id === null
        ? null
        : {
            id: row.pending_id,
            dueAt: row.pending_due_at.getTime(),
            mode: row.pending_mode,
            traceId: row.pending_trace_id,
            environment: row.pending_environment,
            triggerCount: row.pending_count,
            lastTriggerAt: row.pending_last_at.getTime(),
          },
    incident:
      row.incident_id === null
        ? null
        : {
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
          },
  };
}

export function openingOf(row: Row, incident: Incident): object {
  return {
    account_id: row.account_id,
    source_id: row.source_id,
    location_id: row.location_id,
    mode: incident.mode,
    environment: incident.environment,
    reply_code: '',
    opened_at: iso(incident.openedAt),
    window_ended_at: iso(incident.windowEndedAt),
    trace_id: incident.traceId,
    copy: {
      sourceKind: row.kind,
      sourceName: row.name,
      responseKind: row.response_kind,
      modeName: null,
      locationName: row.location_name,
      locationAddress: row.location_address,
      policy: null,
    },
  };
}

export function changeOf(incident: Incident): object {
  return {
    id: incident.id,
    status: incident.closedAt === null ? 'open' : 'closed',
    outcome: incident.outcome,
    exhausts_at: iso(exhaustsAt(incident)),
    escalation_ends_at: iso(incident.escalationEndsAt),
    auto_close_at: iso(autoCloseAt(incident)),
    acknowledged_at: iso(incident.acknowledgedAt),
    acknowledged_by: incident.acknowledgedBy,
    acknowledged_via: incident.acknowledgedVia,
    acknowledged_contact_id: incident.acknowledgedContactId,
    closed_at: iso(incident.closedAt),
    close_reason: incident.closeReason,
    trigger_count: incident.triggerCount,
    last_trigger_at: iso(incident.lastTriggerAt),
  };
}

export function iso(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}
