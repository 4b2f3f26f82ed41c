import type { ArmedMode } from './arming.ts';
import type { Escalation, PlannedDelivery } from './escalation.ts';
import type { ModeId } from './mode.ts';
import type { Environment } from './source.ts';

/** How long after the end of its escalation an incident closes by itself (SPEC.md 8), in milliseconds. */
export const AUTO_CLOSE_MS = 24 * 60 * 60 * 1000;

/** Why an incident closed (DECISIONS.md "Incident record"). */
export type CloseReason =
  | 'clear'
  | 'disarm'
  | 'auto_close'
  | 'console'
  | 'superseded'
  | 'went_live'
  | 'source_disabled';

/** An incident as the rules see it. Times are milliseconds since 1970. */
export interface Incident {
  id: string;
  mode: ModeId | null;
  environment: Environment;
  openedAt: number;
  /** When the false-alarm window that it opened from ended; null when it opened at once. */
  windowEndedAt: number | null;
  outcome: Escalation['outcome'];
  escalationEndsAt: number;
  acknowledgedAt: number | null;
  acknowledgedBy: string | null;
  closedAt: number | null;
  closeReason: CloseReason | null;
  triggerCount: number;
  lastTriggerAt: number;
  /** The call that opened it. */
  traceId: string;
}

/** A trigger that waits for its false-alarm window to end. At most one per alarm; further triggers fold into it. */
export interface PendingTrigger {
  /** The action that began it. */
  id: string;
  dueAt: number;
  /** Mode and call of the trigger with the earliest deadline. */
  mode: ModeId;
  traceId: string;
  /** Live as soon as any of its triggers was: test never swallows live. */
  environment: Environment;
  triggerCount: number;
  lastTriggerAt: number;
}

/** All that moves about a source. */
export interface SourceState {
  armedMode: ArmedMode;
  pending: PendingTrigger | null;
  incident: Incident | null;
}

/** What is written down about an incident besides its calls and deliveries. */
export interface IncidentEntry {
  incidentId: string;
  at: number;
  kind: 'opened' | 'nobody_to_alert' | 'acknowledged' | 'closed';
  detail: string;
}

/** What the rules want written. Everything is in the order in which it happened. */
export interface Changes {
  /** Incidents that are new or differ, each once, in their last form. */
  incidents: Map<string, { incident: Incident; isNew: boolean }>;
  entries: IncidentEntry[];
  deliveries: { incidentId: string; planned: PlannedDelivery }[];
  /** Messages of these incidents that have not gone out: never send them. In test: those due after `at`. */
  cancellations: { incidentId: string; at: number }[];
  /** Pending triggers that ended: opened an incident by the call `traceId`, or cancelled (`incidentId` null). */
  settled: { pendingId: string; incidentId: string | null; traceId: string | null }[];
}

/** When an open incident closes by itself: 24 hours after its escalation ends (SPEC.md 3). */
export function autoCloseAt(incident: Pick<Incident, 'escalationEndsAt'>): number {
  return incident.escalationEndsAt + AUTO_CLOSE_MS;
}

/** Whether a trigger joins the open incident. A live one never joins a test incident (DECISIONS.md "superseded"). */
export function foldsInto<Open extends Pick<Incident, 'environment'>>(
  incident: Open | null,
  environment: Environment,
): incident is Open {
  return incident !== null && (incident.environment === 'live' || environment === 'test');
}

/** What opens an incident: a trigger at once, or a pending one whose window ended. */
export type Opening = Pick<
  Incident,
  'mode' | 'environment' | 'openedAt' | 'windowEndedAt' | 'triggerCount' | 'lastTriggerAt' | 'traceId'
>;

/**
 * Opens an incident with all its deliveries. A test incident that is still open makes room: it closes as `superseded`.
 * Gives the new incident's id.
 */
export function openIncident(
  state: SourceState,
  changes: Changes,
  opening: Opening,
  id: string,
  escalation: Escalation,
): string {
  if (state.incident !== null) closeIncident(state, changes, opening.openedAt, 'superseded');
  const incident: Incident = {
    ...opening,
    id,
    outcome: escalation.outcome,
    escalationEndsAt: escalation.endsAt,
    acknowledgedAt: null,
    acknowledgedBy: null,
    closedAt: null,
    closeReason: null,
  };
  state.incident = incident;
  changes.incidents.set(id, { incident, isNew: true });
  changes.entries.push({ incidentId: id, at: opening.openedAt, kind: 'opened', detail: opening.environment });
  if (escalation.outcome === 'nobody_to_alert') {
    changes.entries.push({ incidentId: id, at: opening.openedAt, kind: 'nobody_to_alert', detail: '' });
  }
  for (const planned of escalation.deliveries) changes.deliveries.push({ incidentId: id, planned });
  return id;
}

/** A further trigger of an open incident: counted, and nobody is alerted again (SPEC.md 3). */
export function foldIntoIncident(state: SourceState, changes: Changes, incident: Incident, at: number): void {
  change(state, changes, {
    ...incident,
    triggerCount: incident.triggerCount + 1,
    lastTriggerAt: Math.max(incident.lastTriggerAt, at),
  });
}

/** Ends the open incident and what is left of its escalation. Never before it opened, however early the call was stamped. */
export function closeIncident(state: SourceState, changes: Changes, at: number, reason: CloseReason): void {
  const incident = state.incident;
  if (incident === null) return;
  const closedAt = Math.max(at, incident.openedAt);
  change(state, changes, {
    ...incident,
    closedAt,
    closeReason: reason,
    escalationEndsAt: Math.min(incident.escalationEndsAt, closedAt),
  });
  state.incident = null;
  changes.entries.push({ incidentId: incident.id, at: closedAt, kind: 'closed', detail: reason });
  changes.cancellations.push({ incidentId: incident.id, at: closedAt });
}

/** A person takes the incident: the escalation stops, the incident stays open. The first counts (DECISIONS.md "Acknowledge"). */
export function acknowledgeIncident(
  state: SourceState,
  changes: Changes,
  incident: Incident,
  at: number,
  by: string,
): void {
  change(state, changes, {
    ...incident,
    acknowledgedAt: at,
    acknowledgedBy: by,
    escalationEndsAt: Math.min(incident.escalationEndsAt, at),
  });
  changes.entries.push({ incidentId: incident.id, at, kind: 'acknowledged', detail: by });
  changes.cancellations.push({ incidentId: incident.id, at });
}

function change(state: SourceState, changes: Changes, incident: Incident): void {
  state.incident = incident;
  const isNew = changes.incidents.get(incident.id)?.isNew ?? false;
  changes.incidents.set(incident.id, { incident, isNew });
}
