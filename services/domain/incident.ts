import type { DeliveryKind } from './alert.ts';
import type { ArmedMode } from './arming.ts';
import type { Escalation, PlannedDelivery } from './escalation.ts';
import type { ModeId } from './mode.ts';
import type { NoticeKind } from './notice.ts';
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

/**
 * How long after the end of its escalation it comes up that nobody answered, in milliseconds: the last ones who were told
 * have this long. Not before: a message that goes out at the end must not be called unanswered at once.
 */
export const ANSWER_WITHIN_MS = 5 * 60 * 1000;

/** How a person took an incident (DECISIONS.md "Acknowledge"). */
export const VIAS = ['link', 'key_press', 'reply', 'console'] as const;

export type Via = (typeof VIAS)[number];

/** An incident as the rules see it. Times are milliseconds since 1970. */
export interface Incident {
  id: string;
  mode: ModeId | null;
  environment: Environment;
  openedAt: number;
  /** When the false-alarm window that it opened from ended; null when it opened at once. */
  windowEndedAt: number | null;
  /** `exhausted`: the policy has ended and nobody answered. */
  outcome: Escalation['outcome'] | 'exhausted';
  escalationEndsAt: number;
  acknowledgedAt: number | null;
  acknowledgedBy: string | null;
  acknowledgedVia: Via | null;
  /** The contact who took it; null where that is not known, as for a name that was typed. */
  acknowledgedContactId: string | null;
  closedAt: number | null;
  closeReason: CloseReason | null;
  triggerCount: number;
  lastTriggerAt: number;
  /** The call that opened it. */
  traceId: string;
}

/** A person who takes an incident. `contactId` null: they are not one of its contacts, as far as is known. */
export interface Responder {
  name: string;
  via: Via;
  contactId: string | null;
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
  kind: 'opened' | 'nobody_to_alert' | 'exhausted' | 'still_happening' | 'acknowledged' | 'closed';
  detail: string;
}

/** What the rules want written. Everything is in the order in which it happened. */
export interface Changes {
  /** Incidents that are new or differ, each once, in their last form. */
  incidents: Map<string, { incident: Incident; isNew: boolean }>;
  entries: IncidentEntry[];
  deliveries: { incidentId: string; planned: PlannedDelivery }[];
  /**
   * Messages of these incidents that have not gone out: never send them. In test: those due after `at`. Once somebody has
   * it only its alerts, once it is closed all of them.
   */
  cancellations: { incidentId: string; at: number; what: 'alerts' | 'all' }[];
  /** What those who were alerted are told now, over the channels that reached them. */
  followUps: FollowUp[];
  /** What the owner of the account is told. */
  notices: { incidentId: string; at: number; kind: Extract<NoticeKind, 'nobody_to_alert' | 'exhausted'> }[];
  /** Pending triggers that ended: opened an incident by the call `traceId`, or cancelled (`incidentId` null). */
  settled: { pendingId: string; incidentId: string | null; traceId: string | null }[];
}

/** A message to everybody who was alerted in an incident. Whom exactly, and how, is for reach.ts `followUpChannels`. */
export interface FollowUp {
  incidentId: string;
  at: number;
  kind: Exclude<DeliveryKind, 'alert'>;
  /** Which one of this kind, counted from 0: each goes to the same people once. */
  ordinal: number;
  /** Who needs not be told: the one who took it. Null: everybody is. */
  exceptContactId: string | null;
}

/** When it comes up that nobody answered (SPEC.md 3 "Also", an outcome of its own); null: it cannot, any more. */
export function exhaustsAt(
  incident: Pick<Incident, 'environment' | 'outcome' | 'acknowledgedAt' | 'closedAt' | 'escalationEndsAt'>,
): number | null {
  const { environment, outcome, acknowledgedAt, closedAt, escalationEndsAt } = incident;
  const waits = environment === 'live' && outcome === 'alerting' && acknowledgedAt === null && closedAt === null;
  return waits ? escalationEndsAt + ANSWER_WITHIN_MS : null;
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
    acknowledgedVia: null,
    acknowledgedContactId: null,
    closedAt: null,
    closeReason: null,
  };
  state.incident = incident;
  changes.incidents.set(id, { incident, isNew: true });
  changes.entries.push({ incidentId: id, at: opening.openedAt, kind: 'opened', detail: opening.environment });
  if (escalation.outcome === 'nobody_to_alert') {
    changes.entries.push({ incidentId: id, at: opening.openedAt, kind: 'nobody_to_alert', detail: '' });
    if (opening.environment === 'live') {
      changes.notices.push({ incidentId: id, at: opening.openedAt, kind: 'nobody_to_alert' });
    }
  }
  for (const planned of escalation.deliveries) changes.deliveries.push({ incidentId: id, planned });
  return id;
}

/**
 * A further trigger of an open incident: counted, and nobody is alerted again (SPEC.md 3). Where its account wants it, one
 * that comes after a pause of `stillHappeningS` seconds or more is told to those who were alerted (DECISIONS.md "Swallowed
 * alarms"); 0: never.
 */
export function foldIntoIncident(
  state: SourceState,
  changes: Changes,
  incident: Incident,
  at: number,
  stillHappeningS = 0,
): void {
  const paused = at - incident.lastTriggerAt >= stillHappeningS * 1000;
  if (incident.environment === 'live' && stillHappeningS > 0 && paused) {
    const { id, triggerCount } = incident;
    const ordinal = triggerCount - 1;
    changes.entries.push({ incidentId: id, at, kind: 'still_happening', detail: '' });
    changes.followUps.push({ incidentId: id, at, kind: 'still_happening', ordinal, exceptContactId: null });
  }
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
  changes.cancellations.push({ incidentId: incident.id, at: closedAt, what: 'all' });
}

/** Nobody answered in time: the incident stays open, and its owner is told. */
export function exhaustIncident(state: SourceState, changes: Changes, incident: Incident, at: number): void {
  change(state, changes, { ...incident, outcome: 'exhausted' });
  changes.entries.push({ incidentId: incident.id, at, kind: 'exhausted', detail: '' });
  changes.notices.push({ incidentId: incident.id, at, kind: 'exhausted' });
}

/**
 * A person takes the incident: the escalation stops, the incident stays open, and those who were alerted are told who has
 * it. The first counts (DECISIONS.md "Acknowledge").
 */
export function acknowledgeIncident(
  state: SourceState,
  changes: Changes,
  incident: Incident,
  at: number,
  by: Responder,
): void {
  change(state, changes, {
    ...incident,
    acknowledgedAt: at,
    acknowledgedBy: by.name,
    acknowledgedVia: by.via,
    acknowledgedContactId: by.contactId,
    escalationEndsAt: Math.min(incident.escalationEndsAt, at),
  });
  const { id } = incident;
  changes.entries.push({ incidentId: id, at, kind: 'acknowledged', detail: by.name });
  changes.cancellations.push({ incidentId: id, at, what: 'alerts' });
  if (incident.environment === 'live') {
    changes.followUps.push({ incidentId: id, at, kind: 'taken', ordinal: 0, exceptContactId: by.contactId });
  }
}

function change(state: SourceState, changes: Changes, incident: Incident): void {
  state.incident = incident;
  const isNew = changes.incidents.get(incident.id)?.isNew ?? false;
  changes.incidents.set(incident.id, { incident, isNew });
}
