import type { Action } from './action.ts';
import { triedDetail } from './chances.ts';
import type { Escalation } from './escalation.ts';
import type { Exhaustion } from './exhaustion.ts';
import {
  asksAgainAfter,
  asksAgainOnTrigger,
  type Changes,
  type CloseReason,
  type Incident,
  type IncidentEntry,
  type Opening,
  type OwnersNotice,
  type Responder,
  type SourceState,
} from './incident.ts';
import { trippedAlso } from './tripped.ts';

/**
 * Opens an incident with all its deliveries. An open test incident makes room: it closes as `superseded`. Returns the
 * new incident's id.
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
    handedOver: 0,
    handedTo: null,
    askedAgain: 0,
    asksAgainAt: null,
  };
  state.incident = incident;
  changes.incidents.set(id, { incident, isNew: true });
  changes.entries.push({ incidentId: id, at: opening.openedAt, kind: 'opened', detail: opening.environment });
  const tellOwner = (kind: OwnersNotice & IncidentEntry['kind'], detail: string) => {
    changes.entries.push({ incidentId: id, at: opening.openedAt, kind, detail });
    if (opening.environment === 'live') changes.notices.push({ incidentId: id, at: opening.openedAt, kind });
  };
  if (escalation.outcome !== 'alerting') tellOwner(escalation.outcome, '');
  if (escalation.leftOut > 0) tellOwner('escalation_capped', String(escalation.leftOut));
  for (const planned of escalation.deliveries) changes.deliveries.push({ incidentId: id, planned });
  return id;
}

/**
 * Counts a further trigger of an open incident, which came with the key `keySeq`; nobody is alerted again (SPEC.md 3). If the
 * account wants it, a trigger after a pause of `stillHappeningS` seconds or more is reported to those alerted (DECISIONS.md
 * "Swallowed alarms"); 0: never.
 */
export function foldIntoIncident(
  state: SourceState,
  changes: Changes,
  incident: Incident,
  { acceptedAt: at, keySeq }: Pick<Action, 'acceptedAt' | 'keySeq'>,
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
    trippedKeys: trippedAlso(incident.trippedKeys, keySeq),
    asksAgainAt: asksAgainOnTrigger(incident, at),
  });
}

/**
 * Closes the open incident and cancels the rest of its escalation. The closing time is never before the opening,
 * however early the call was stamped.
 */
export function closeIncident(state: SourceState, changes: Changes, at: number, reason: CloseReason): void {
  const incident = state.incident;
  if (incident === null) return;
  const closedAt = Math.max(at, incident.openedAt);
  change(state, changes, {
    ...incident,
    closedAt,
    closeReason: reason,
    asksAgainAt: null,
    escalationEndsAt: Math.min(incident.escalationEndsAt, closedAt),
  });
  state.incident = null;
  changes.entries.push({ incidentId: incident.id, at: closedAt, kind: 'closed', detail: reason });
  cancel(changes, { incidentId: incident.id, at: closedAt, what: 'all' });
}

/** Nobody answered in time: the incident stays open, and its owner is notified. */
export function exhaustIncident(
  state: SourceState,
  changes: Changes,
  incident: Incident,
  { at, tried }: Exhaustion,
): void {
  const about = { incidentId: incident.id, at, kind: 'exhausted' } as const;
  change(state, changes, { ...incident, outcome: 'exhausted' });
  changes.entries.push({ ...about, detail: tried === null ? '' : triedDetail(tried) });
  changes.notices.push(tried === null ? about : { ...about, tried });
}

/**
 * A person acknowledges the incident: the escalation stops, the incident stays open, and the others who were alerted
 * are told by whom. The first acknowledgement counts (DECISIONS.md "Acknowledge").
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
    handedTo: null,
    asksAgainAt: asksAgainAfter(incident, at),
    escalationEndsAt: Math.min(incident.escalationEndsAt, at),
  });
  const { id } = incident;
  changes.entries.push({ incidentId: id, at, kind: 'acknowledged', detail: by.name });
  cancel(changes, { incidentId: id, at, what: 'alerts' });
  if (incident.environment === 'live') {
    changes.followUps.push({
      incidentId: id,
      at,
      kind: 'acknowledged',
      ordinal: incident.handedOver + incident.askedAgain,
      exceptContactId: by.contactId,
    });
  }
}

/** What is to go on stays off too. */
function cancel(changes: Changes, cancellation: Changes['cancellations'][number]): void {
  changes.resumed = changes.resumed.filter(({ incidentId }) => incidentId !== cancellation.incidentId);
  changes.cancellations.push(cancellation);
}

/** Keeps an incident as it is now. */
export function change(state: SourceState, changes: Changes, incident: Incident): void {
  state.incident = incident;
  const isNew = changes.incidents.get(incident.id)?.isNew ?? false;
  changes.incidents.set(incident.id, { incident, isNew });
}
