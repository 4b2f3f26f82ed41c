import type { Action, ActionOutcome } from './action.ts';
import { armedAfter } from './arming.ts';
import { scheduleEscalation } from './escalation.ts';
import { exhaustionOf, putOffExhaustion } from './exhaustion.ts';
import {
  autoCloseAt,
  type Changes,
  foldsInto,
  type Incident,
  type Opening,
  type PendingTrigger,
  type Responder,
  type SourceState,
} from './incident.ts';
import {
  acknowledgeIncident,
  closeIncident,
  exhaustIncident,
  foldIntoIncident,
  openIncident,
} from './incident-moves.ts';
import { MODES } from './mode.ts';
import { beginPending, cancelPending, foldIntoPending } from './pending.ts';
import { heldByGate } from './source.ts';
import type { SourceFacts } from './source-facts.ts';

export type { SourceFacts } from './source-facts.ts';

export interface Decision extends Changes {
  state: SourceState;
  outcomes: ActionOutcome[];
}

/**
 * Applies a source's actions in accepted order, merged by time with the timers that are due (DECISIONS.md "Time"): an
 * action accepted strictly before a deadline applies before it, however late this runs; at the same instant the timer
 * goes first. `now` is the database's time in milliseconds since 1970. Does not modify its arguments.
 *
 * Once `mostMessages` or more are planned, stops before the next action or timer that may open an incident. Only the
 * actions before that point have an outcome then, and no later timer has run.
 */
export function decide(
  source: SourceFacts,
  state: SourceState,
  actions: readonly Action[],
  now: number,
  mostMessages = Number.POSITIVE_INFINITY,
): Decision {
  const decision: Decision = {
    state: { ...state },
    outcomes: [],
    incidents: new Map(),
    entries: [],
    deliveries: [],
    cancellations: [],
    followUps: [],
    exhaustions: [],
    notices: [],
    windowsEnded: [],
  };
  const full = () => decision.deliveries.length >= mostMessages;
  for (const [place, action] of actions.entries()) {
    if (fireTimers(source, decision, action.acceptedAt, full) === 'stopped') return decision;
    if (full() && mayOpen(decision.state, action)) return decision;
    decision.outcomes.push({
      actionId: action.id,
      incidentId: null,
      pendingId: null,
      ...(isTooLate(source, actions, place) ? { outcome: 'source_disabled' } : apply(source, decision, action)),
    });
  }
  fireTimers(source, decision, now, full);
  decision.exhaustions.push(...putOffExhaustion(source, decision.state.incident));
  return decision;
}

/**
 * Tells whether a trigger, though judged earlier, comes after its source was disabled. A trigger before that point
 * opens what disabling then closes (DECISIONS.md "Disabled or deactivated source").
 */
function isTooLate({ disabled }: SourceFacts, actions: readonly Action[], place: number): boolean {
  if (actions[place]?.verb !== 'trigger' || disabled === 'no') return false;
  return disabled === 'yes' || actions.slice(0, place).some(({ verb }) => verb === 'disable');
}

/** Tells whether an action may open an incident, as far as is known before it is applied. */
export function mayOpen({ incident, pending }: SourceState, { verb, environment }: Action): boolean {
  return verb === 'trigger' && pending === null && !foldsInto(incident, environment);
}

/**
 * Fires window ends, unanswered escalations and auto-closes due up to and including `upTo`, in order of time. Stops
 * before a window end while `full`.
 */
function fireTimers(source: SourceFacts, decision: Decision, upTo: number, full: () => boolean): 'fired' | 'stopped' {
  const { state } = decision;
  for (;;) {
    const windowEnds = state.pending?.dueAt ?? Number.POSITIVE_INFINITY;
    const { incident } = state;
    const autoCloses = incident === null ? Number.POSITIVE_INFINITY : autoCloseAt(incident);
    const exhausts = exhaustionOf(source, incident);
    const next = Math.min(windowEnds, autoCloses, exhausts.at);
    if (next > upTo) return 'fired';
    if (exhausts.at === next) exhaustIncident(state, decision, incident!, exhausts);
    else if (autoCloses === next) closeIncident(state, decision, autoCloses, 'auto_close');
    else if (full()) return 'stopped';
    else endWindow(source, decision);
  }
}

function endWindow(source: SourceFacts, decision: Decision): void {
  const { state } = decision;
  const pending = state.pending!;
  state.pending = null;
  const incidentId = open(source, decision, { ...pending, openedAt: pending.dueAt, windowEndedAt: pending.dueAt });
  decision.windowsEnded.push({ pendingId: pending.id, incidentId, traceId: pending.traceId });
}

function open(source: SourceFacts, decision: Decision, from: Opening): string {
  const { mode, environment, openedAt, windowEndedAt, triggerCount, lastTriggerAt, traceId } = from;
  const opening: Opening = { mode, environment, openedAt, windowEndedAt, triggerCount, lastTriggerAt, traceId };
  const policy = source.policyFor(mode);
  const escalation =
    policy === 'unplannable'
      ? ({ deliveries: [], leftOut: 0, endsAt: openedAt, outcome: 'nobody_reached' } as const)
      : scheduleEscalation(policy, openedAt, environment, source.means, source.messagesMost?.(environment));
  return openIncident(decision.state, decision, opening, source.newId(), escalation);
}

type Applied = Pick<ActionOutcome, 'outcome'> & Partial<ActionOutcome>;

function apply(source: SourceFacts, decision: Decision, action: Action): Applied {
  const { state } = decision;
  const incident = state.incident;
  switch (action.verb) {
    case 'arm':
      state.armedMode = armedAfter(state.armedMode, { verb: 'arm', named: action.mode }, MODES);
      return { outcome: 'armed' };
    case 'disarm':
      return disarm(source, decision, action);
    case 'trigger':
      return trigger(source, decision, action);
    case 'clear':
      // A clear accepted while the trigger was pending leaves that trigger alone, however late it is applied.
      if (incident === null || insideWindow(incident, action)) return { outcome: 'nothing_open' };
      closeIncident(state, decision, action.acceptedAt, 'clear');
      return { outcome: 'closed', incidentId: incident.id };
    case 'acknowledge':
      if (incident?.id !== action.incidentId) return { outcome: 'already_closed', incidentId: action.incidentId };
      if (incident.acknowledgedAt !== null) return { outcome: 'already_acknowledged', incidentId: incident.id };
      acknowledgeIncident(state, decision, incident, action.acceptedAt, responderOf(action));
      return { outcome: 'acknowledged', incidentId: incident.id };
    case 'close':
      if (incident?.id !== action.incidentId) return { outcome: 'already_closed', incidentId: action.incidentId };
      closeIncident(state, decision, action.acceptedAt, 'console');
      return { outcome: 'closed', incidentId: incident.id };
    case 'go_live': {
      const inTest = incident?.environment === 'test' ? incident : null;
      if (inTest !== null) closeIncident(state, decision, action.acceptedAt, 'went_live');
      const pendingId = state.pending?.environment === 'test' ? cancelPending(state, decision) : null;
      return { outcome: 'went_live', incidentId: inTest?.id ?? null, pendingId };
    }
    case 'disable':
      closeIncident(state, decision, action.acceptedAt, 'source_disabled');
      return { outcome: 'disabled', incidentId: incident?.id ?? null, pendingId: cancelPending(state, decision) };
  }
}

function responderOf({ actor, via, contactId }: Action): Responder {
  return { name: actor ?? '', via: via ?? 'console', contactId };
}

/**
 * Disarm (SPEC.md 3): cancels a pending trigger. Also closes the open incident when clear on disarm is on, or when the
 * disarm was accepted inside the window the incident opened from and only applied later: the owner was in time.
 */
function disarm(source: SourceFacts, decision: Decision, action: Action): Applied {
  const { state } = decision;
  const incident = state.incident;
  state.armedMode = armedAfter(state.armedMode, { verb: 'disarm' }, MODES);
  const pendingId = cancelPending(state, decision);
  if (incident === null || !(source.clearOnDisarm || insideWindow(incident, action))) {
    return { outcome: 'disarmed', pendingId };
  }
  closeIncident(state, decision, action.acceptedAt, 'disarm');
  return { outcome: 'disarmed', pendingId, incidentId: incident.id };
}

/** Tells whether an action was accepted inside the window the incident opened from, and is only applied now. */
function insideWindow(incident: Incident, action: Action): boolean {
  return incident.windowEndedAt !== null && action.acceptedAt < incident.windowEndedAt;
}

/**
 * Tells whether an owner's rehearsal falls into the window of a live trigger. It is counted, but the real deadline and
 * mode stand; otherwise a rehearsal would shorten the time to call off a false alarm (DECISIONS.md "Second trigger
 * while one is pending").
 */
function rehearsesInto(pending: PendingTrigger, action: Action): boolean {
  return pending.environment === 'live' && action.environment === 'test' && action.actor !== null;
}

/** Trigger (SPEC.md 3): folds, is held by the gate, waits in its window, or opens an incident. */
function trigger(source: SourceFacts, decision: Decision, action: Action): Applied {
  const { state } = decision;
  const { incident, pending } = state;
  if (foldsInto(incident, action.environment)) {
    foldIntoIncident(state, decision, incident, action.acceptedAt, source.stillHappeningS);
    return { outcome: 'folded', incidentId: incident.id };
  }
  if (pending !== null && action.mode !== null) {
    const waitsLonger = rehearsesInto(pending, action) ? { windowS: Number.POSITIVE_INFINITY } : {};
    state.pending = foldIntoPending(pending, { ...action, mode: action.mode, ...waitsLonger });
    return { outcome: 'folded', pendingId: pending.id };
  }
  const { onlyWhenArmed } = action;
  if (heldByGate({ kind: source.kind, onlyWhenArmed, armedMode: state.armedMode, engaged: incident !== null })) {
    return { outcome: 'held_by_gate' };
  }
  if (action.windowS > 0 && action.mode !== null) {
    state.pending = beginPending({ ...action, mode: action.mode });
    return { outcome: 'pending', pendingId: action.id };
  }
  const incidentId = open(source, decision, {
    mode: action.mode,
    environment: action.environment,
    openedAt: action.acceptedAt,
    windowEndedAt: null,
    triggerCount: 1,
    lastTriggerAt: action.acceptedAt,
    traceId: action.traceId,
  });
  return { outcome: 'opened', incidentId };
}
