import type { DeliveryKind } from './alert.ts';
import type { ArmedMode } from './arming.ts';
import type { Tried } from './chances.ts';
import type { ContactCopy, Escalation, ScheduledDelivery } from './escalation.ts';
import type { ModeId } from './mode.ts';
import type { NoticeKind } from './notice.ts';
import type { Environment } from './source.ts';
import type { TrippedKeys } from './tripped.ts';

/** How long after the end of its escalation an incident closes by itself (SPEC.md 8), in milliseconds. */
const AUTO_CLOSE_MS = 24 * 60 * 60 * 1000;

/** Why an incident closed (DECISIONS.md "Incident record"). */
export type CloseReason =
  | 'clear'
  | 'disarm'
  | 'auto_close'
  | 'console'
  | 'superseded'
  | 'went_live'
  | 'source_disabled';

/** What an incident was, as a person says once it is known (DECISIONS.md "What it was"). */
export const DISPOSITIONS = ['real', 'false_alarm', 'test'] as const;

export type Disposition = (typeof DISPOSITIONS)[number];

/** Reads a disposition as it comes from outside; null: it is none. */
export function dispositionOf(word: string): Disposition | null {
  return DISPOSITIONS.find(one => one === word) ?? null;
}

/**
 * How long after the end of its escalation an incident counts as unanswered, in milliseconds: the last people alerted
 * have this long to react, so that a message that goes out at the very end is not called unanswered at once.
 */
export const ANSWER_WITHIN_MS = 5 * 60 * 1000;

/** How a person acknowledged an incident (DECISIONS.md "Acknowledge"). */
export const VIAS = ['link', 'key_press', 'reply', 'push', 'chat', 'console'] as const;

export type Via = (typeof VIAS)[number];

/** How often whoever acknowledged an incident is asked again, at most. */
const ASKED_MOST = 3;

/** How long after an acknowledgement a further trigger asks at once, in milliseconds: whoever went to look sets it off too. */
const TRIGGER_ASKS_AFTER_MS = 5 * 60_000;

/** An incident as the rules see it. Times are milliseconds since 1970. */
export interface Incident {
  id: string;
  mode: ModeId | null;
  environment: Environment;
  openedAt: number;
  /** When the false-alarm window it opened from ended; null if it opened at once. */
  windowEndedAt: number | null;
  /** `exhausted`: the policy has ended and nobody answered. */
  outcome: Escalation['outcome'] | 'exhausted';
  escalationEndsAt: number;
  acknowledgedAt: number | null;
  acknowledgedBy: string | null;
  acknowledgedVia: Via | null;
  /** The contact who acknowledged; null if unknown, as with a typed name. */
  acknowledgedContactId: string | null;
  closedAt: number | null;
  closeReason: CloseReason | null;
  triggerCount: number;
  lastTriggerAt: number;
  /** Whose triggers they are. */
  trippedKeys: TrippedKeys;
  /** Since when nothing was heard of the first of these keys, if that alone opened it; null: a trigger did. */
  silentSince: number | null;
  /** The call that opened it. */
  traceId: string;
  /** How often it was handed over, and to which contact last, unless somebody has acknowledged since. */
  handedOver: number;
  handedTo: string | null;
  /** How long an acknowledgement holds while it is open, in seconds (ageing.ts); 0: for good. */
  askAgainAfterS: number;
  /** How often whoever acknowledged was asked again, and when they are next; null: they are not. */
  askedAgain: number;
  asksAgainAt: number | null;
}

/** A person who acknowledges an incident. `contactId` null: not one of its contacts, as far as is known. */
export interface Responder {
  name: string;
  via: Via;
  contactId: string | null;
}

/** A trigger that waits for its false-alarm window to end. At most one per alarm; further triggers fold into it. */
export interface PendingTrigger {
  /** The action that started it. */
  id: string;
  dueAt: number;
  /** Mode and call of the trigger with the earliest deadline. */
  mode: ModeId;
  traceId: string;
  /** Live as soon as any of its triggers was: test never swallows live. */
  environment: Environment;
  triggerCount: number;
  lastTriggerAt: number;
  /** Whose triggers they are; the first is that of the trigger that started it. */
  trippedKeys: TrippedKeys;
  /** As of an incident. */
  silentSince: number | null;
}

/** All the state of a source that changes with calls and time. */
export interface SourceState {
  armedMode: ArmedMode;
  pending: PendingTrigger | null;
  incident: Incident | null;
}

/** An entry in the timeline of an incident, besides its calls and deliveries. */
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
    | 'next_step'
    | 'noted'
    | 'handed_over'
    | 'declined'
    | 'asked_again'
    | 'closed';
  detail: string;
  /** Who did it; absent: nobody, or `detail` says so. */
  by?: string;
}

/** The events of an incident that its owner is notified of. */
export type OwnersNotice = Extract<
  NoticeKind,
  'nobody_to_alert' | 'nobody_reached' | 'escalation_capped' | 'exhausted'
>;

/** What the rules want written, each list in the order in which things happened. */
export interface Changes {
  /** New or changed incidents, each once, in their final form. */
  incidents: Map<string, { incident: Incident; isNew: boolean }>;
  entries: IncidentEntry[];
  deliveries: { incidentId: string; planned: ScheduledDelivery }[];
  /**
   * Never send the unsent messages of these incidents. In test: those due after `at`. An acknowledgement cancels only
   * alerts, closing cancels all messages.
   */
  cancellations: { incidentId: string; at: number; what: 'alerts' | 'all' }[];
  /** Messages to send now to those who were alerted, over the channels that reached them. */
  followUps: FollowUp[];
  /** Steps to send now instead of when they were planned. */
  broughtForward: { incidentId: string; at: number; round: number; step: number }[];
  /** Incidents whose called-off steps go on, the first of them at this time and the others as long after it as planned. */
  resumed: { incidentId: string; at: number }[];
  /** Contacts who take over, to be kept with what these incidents copied. */
  handedTo: { incidentId: string; contact: ContactCopy }[];
  /** When these incidents count as unanswered after all: messages still wait for their chance. */
  exhaustions: { incidentId: string; at: number }[];
  /** What to notify the owner of the account of. `tried`: of `exhausted`, if known. */
  notices: { incidentId: string; at: number; kind: OwnersNotice; tried?: Tried }[];
  /** Pending triggers that ended: opened an incident by the call `traceId`, or cancelled (`incidentId` null). */
  windowsEnded: { pendingId: string; incidentId: string | null; traceId: string | null }[];
}

/** A message to everybody who was alerted in an incident. Whom exactly, and how: follow-up.ts `whomToTell`. */
export interface FollowUp {
  incidentId: string;
  at: number;
  kind: Exclude<DeliveryKind, 'alert'>;
  /** The number of this kind in the incident, counted from 0: each goes to the same people once. */
  ordinal: number;
  /** The contact to leave out because they acknowledged; null: nobody. */
  exceptContactId: string | null;
}

/**
 * Returns the outcome to show: while nobody was reached, nothing may say that anybody was alerted (DECISIONS.md "Nobody
 * reached"). In SQL: store/statements/unreached.ts.
 */
export function outcomeShown(outcome: Incident['outcome'], reached: 'nobody' | 'somebody_maybe'): Incident['outcome'] {
  return reached === 'nobody' && (outcome === 'alerting' || outcome === 'exhausted') ? 'nobody_reached' : outcome;
}

/**
 * Returns when an unanswered incident becomes `exhausted`, milliseconds since 1970; null if it no longer can.
 * `lastChanceAt`: when the last message has its chance, if that is later than planned (chances.ts).
 */
export function exhaustsAt(
  incident: Pick<Incident, 'environment' | 'outcome' | 'acknowledgedAt' | 'closedAt' | 'escalationEndsAt'>,
  lastChanceAt: number | null = null,
): number | null {
  const { environment, outcome, acknowledgedAt, closedAt, escalationEndsAt } = incident;
  const waits = environment === 'live' && outcome === 'alerting' && acknowledgedAt === null && closedAt === null;
  return waits ? Math.max(escalationEndsAt, lastChanceAt ?? escalationEndsAt) + ANSWER_WITHIN_MS : null;
}

/** Returns when an open incident closes by itself: 24 hours after its escalation ends (SPEC.md 3). */
export function autoCloseAt(incident: Pick<Incident, 'escalationEndsAt'>): number {
  return incident.escalationEndsAt + AUTO_CLOSE_MS;
}

/**
 * Tells whether a trigger joins the open incident. A live one never joins a test incident (DECISIONS.md "Live trigger
 * into an open test incident"), nor one that a silence opened, unless it is a silence too (DECISIONS.md "A silence that
 * alerts").
 */
export function foldsInto<Open extends Pick<Incident, 'environment' | 'silentSince'>>(
  incident: Open | null,
  { environment, silentSince = null }: { environment: Environment; silentSince?: number | null },
): incident is Open {
  if (incident === null || environment === 'test') return incident !== null;
  return incident.environment === 'live' && (incident.silentSince === null || silentSince !== null);
}

/** Returns when whoever acknowledges an incident at a time is asked again; null: never. */
export function asksAgainAfter(
  { environment, askAgainAfterS, askedAgain }: Pick<Incident, 'environment' | 'askAgainAfterS' | 'askedAgain'>,
  acknowledgedAt: number,
): number | null {
  const asks = environment === 'live' && askAgainAfterS > 0 && askedAgain < ASKED_MOST;
  return asks ? acknowledgedAt + askAgainAfterS * 1_000 : null;
}

/** Returns the same after a further trigger, which shows that it goes on. */
export function asksAgainOnTrigger({ asksAgainAt, acknowledgedAt }: Incident, at: number): number | null {
  if (asksAgainAt === null || acknowledgedAt === null || at < acknowledgedAt + TRIGGER_ASKS_AFTER_MS)
    return asksAgainAt;
  return Math.min(asksAgainAt, at);
}

/** Returns when the engine looks at an open incident next, milliseconds since 1970, besides closing it; null: it need not. */
export function looksAt(incident: Incident): number | null {
  return exhaustsAt(incident) ?? incident.asksAgainAt;
}

/** What opens an incident: a trigger at once, or a pending trigger whose window ended. */
export type Opening = Pick<
  Incident,
  | 'mode'
  | 'environment'
  | 'openedAt'
  | 'windowEndedAt'
  | 'triggerCount'
  | 'lastTriggerAt'
  | 'trippedKeys'
  | 'silentSince'
  | 'traceId'
  | 'askAgainAfterS'
>;
