import type { ActionOutcome } from '../../services/domain/action.ts';
import type { Decision } from '../../services/domain/decide.ts';
import type { ScheduledDelivery } from '../../services/domain/escalation.ts';
import type { Incident } from '../../services/domain/incident.ts';
import type { Story } from '../support/alarm-model.ts';
import { START } from '../support/decide.ts';

/** A decision in the words of the model. */
export function storyOf({
  state,
  incidents,
  outcomes,
  deliveries,
  cancellations,
  followUps,
  entries,
}: Decision): Story {
  const { pending } = state;
  return {
    armed: state.armedMode,
    pending: pending && {
      ends: inSeconds(pending.dueAt),
      mode: pending.mode,
      environment: pending.environment,
      triggers: pending.triggerCount,
    },
    incidents: [...incidents.values()].map(({ incident }) => ({
      mode: incident.mode,
      environment: incident.environment,
      opened: inSeconds(incident.openedAt),
      triggers: incident.triggerCount,
      acknowledgedAt: inSecondsOrNull(incident.acknowledgedAt),
      unanswered: inSecondsOrNull(of(incident, entries).find(({ kind }) => kind === 'exhausted')?.at ?? null),
      toldLater: of(incident, followUps).map(({ kind, ordinal, at }) => `${kind} ${ordinal} at ${inSeconds(at)}`),
      closed: inSecondsOrNull(incident.closedAt),
      why: incident.closeReason,
      messages: of(incident, deliveries)
        .filter(({ planned }) => planned.insteadOf === null)
        .map(({ planned }) => inSeconds(planned.dueAt)),
      inTest: of(incident, deliveries).flatMap(({ planned }) => inTest(planned)),
      silentFrom: inSecondsOrNull(of(incident, cancellations)[0]?.at ?? null),
    })),
    outcomes: outcomes.map(inWords),
  };
}

export function of<T extends { incidentId: string }>(incident: Incident, list: readonly T[]): T[] {
  return list.filter(({ incidentId }) => incidentId === incident.id);
}

function inTest({ status, dueAt, channel, reason, insteadOf }: ScheduledDelivery): string[] {
  if (status !== 'suppressed') return [];
  return [`${inSeconds(dueAt)} ${channel} ${reason ?? 'goes'}${insteadOf === null ? '' : ` instead of ${insteadOf}`}`];
}

function inWords({ outcome, incidentId, pendingId }: ActionOutcome): string {
  const cancelled = pendingId === null ? '' : `, cancelled waiting ${pendingId}`;
  switch (outcome) {
    case 'folded':
      return incidentId === null ? `folded into waiting ${pendingId}` : `folded into incident ${incidentId}`;
    case 'pending':
      return `pending as waiting ${pendingId}`;
    case 'disarmed':
      return `disarmed${cancelled}${incidentId === null ? '' : `, closed incident ${incidentId}`}`;
    case 'went_live':
    case 'disabled':
      return `${outcome}${cancelled}`;
    case 'opened':
    case 'closed':
    case 'acknowledged':
    case 'already_acknowledged':
      return `${outcome} incident ${incidentId}`;
    default:
      return outcome;
  }
}

function inSeconds(ms: number): number {
  return (ms - START) / 1000;
}

function inSecondsOrNull(ms: number | null): number | null {
  return ms === null ? null : inSeconds(ms);
}
