import type { DeliveryKind } from './alert.ts';
import type { ArmedMode } from './arming.ts';
import type { Escalation, ScheduledDelivery } from './escalation.ts';
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
  kind:
    | 'opened'
    | 'nobody_to_alert'
    | 'nobody_reached'
    | 'escalation_capped'
    | 'exhausted'
    | 'still_happening'
    | 'acknowledged'
    | 'closed';
  detail: string;
}

/** What an incident has its owner told. */
export type OwnersNotice = Extract<
  NoticeKind,
  'nobody_to_alert' | 'nobody_reached' | 'escalation_capped' | 'exhausted'
>;

/** What the rules want written. Everything is in the order in which it happened. */
export interface Changes {
  /** Incidents that are new or differ, each once, in their last form. */
  incidents: Map<string, { incident: Incident; isNew: boolean }>;
  entries: IncidentEntry[];
  deliveries: { incidentId: string; planned: ScheduledDelivery }[];
  /**
   * Messages of these incidents that have not gone out: never send them. In test: those due after `at`. Once somebody has
   * it only its alerts, once it is closed all of them.
   */
  cancellations: { incidentId: string; at: number; what: 'alerts' | 'all' }[];
  /** What those who were alerted are told now, over the channels that reached them. */
  followUps: FollowUp[];
  /** What the owner of the account is told. */
  notices: { incidentId: string; at: number; kind: OwnersNotice }[];
  /** Pending triggers that ended: opened an incident by the call `traceId`, or cancelled (`incidentId` null). */
  settled: { pendingId: string; incidentId: string | null; traceId: string | null }[];
}

/** A message to everybody who was alerted in an incident. Whom exactly, and how: follow-up.ts `whomToTell`. */
export interface FollowUp {
  incidentId: string;
  at: number;
  kind: Exclude<DeliveryKind, 'alert'>;
  /** Which one of this kind, counted from 0: each goes to the same people once. */
  ordinal: number;
  /** Who needs not be told: the one who took it. Null: everybody is. */
  exceptContactId: string | null;
}

/**
 * The outcome that is shown: while nobody was reached no word may say that anybody was alerted (DECISIONS.md "Nobody reached"). In SQL:
 * store/statements/unreached.ts.
 */
export function outcomeShown(outcome: Incident['outcome'], reached: 'nobody' | 'somebody_maybe'): Incident['outcome'] {
  return reached === 'nobody' && (outcome === 'alerting' || outcome === 'exhausted') ? 'nobody_reached' : outcome;
}

/** When it comes up that nobody answered, which is an outcome of its own; null: it cannot, any more. */
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

/**
 * Whether a trigger joins the open incident. A live one never joins a test incident (DECISIONS.md "Live trigger into an open
 * test incident").
 */
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
