import type { Action, ActionOutcome } from './action.ts';
import { ageingAt, askAgain } from './ageing.ts';
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
import { beginPending, cancelPending, compareToSeen, foldIntoPending } from './pending.ts';
import { addNote, decline, handOver, sendNextStep } from './person-moves.ts';
import { heldByGate } from './source.ts';
import type { SourceFacts } from './source-facts.ts';
import { trippedAlso } from './tripped.ts';

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
    broughtForward: [],
    resumed: [],
    handedTo: [],
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
  const action = actions[place];
  // The source of a drill is disabled for everything else.
  if (action?.verb !== 'trigger' || action.environment === 'drill' || disabled === 'no') return false;
  return disabled === 'yes' || actions.slice(0, place).some(({ verb }) => verb === 'disable');
}

/** Tells whether an action may open an incident, as far as is known before it is applied. */
export function mayOpen({ incident, pending }: SourceState, action: Action): boolean {
  return action.verb === 'trigger' && pending === null && !foldsInto(incident, action);
}

/**
 * Fires window ends, unanswered escalations, aged acknowledgements and auto-closes due up to and including `upTo`, in order of time. Stops
 * before a window end while `full`.
 */
function fireTimers(source: SourceFacts, decision: Decision, upTo: number, full: () => boolean): 'fired' | 'stopped' {
  const { state } = decision;
  for (;;) {
    const windowEnds = state.pending?.dueAt ?? Number.POSITIVE_INFINITY;
    const { incident } = state;
    const autoCloses = incident === null ? Number.POSITIVE_INFINITY : autoCloseAt(incident);
    const exhausts = exhaustionOf(source, incident);
    const ages = ageingAt(source, incident);
    const next = Math.min(windowEnds, autoCloses, exhausts.at, ages);
    if (next > upTo) return 'fired';
    if (exhausts.at === next) exhaustIncident(state, decision, incident!, exhausts);
    else if (ages === next) askAgain(source, state, decision, incident!);
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

function open(source: SourceFacts, decision: Decision, from: Omit<Opening, 'askAgainAfterS'>): string {
  const { mode, environment, openedAt, windowEndedAt, traceId } = from;
  const { triggerCount, lastTriggerAt, trippedKeys, silentSince } = from;
  const triggers = { triggerCount, lastTriggerAt, trippedKeys, silentSince };
  const policy = source.policyFor(mode);
  const askAgainAfterS = policy === null || policy === 'unplannable' ? 0 : (policy.askAgainAfterS ?? 0);
  const opening: Opening = { mode, environment, openedAt, windowEndedAt, traceId, askAgainAfterS, ...triggers };
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
    case 'next_step':
      return sendNextStep(source, state, decision, action);
    case 'note':
      return addNote(source, decision, action);
    case 'hand_over':
      return handOver(source, state, decision, action);
    case 'decline':
      return decline(source, state, decision, action);
    case 'call_off':
      return callOff(decision, action);
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

/**
 * A person calls off what they saw waiting in its window, unless another device tripped it since or another trigger took over the wait; how
 * the alarm is armed stays (DECISIONS.md "Calling off"). As with a disarm, whoever did so in time also ends what opened
 * before it was applied.
 */
function callOff(decision: Decision, action: Action): Applied {
  const { state } = decision;
  const { incident, pending } = state;
  const name = action.detail ?? '';
  const waits = pending === null ? 'nothing' : compareToSeen(pending, name);
  if (waits === 'seen') return { outcome: 'cancelled', pendingId: cancelPending(state, decision) };
  if (waits === 'more_came') return { outcome: 'more_came' };
  if (incident !== null && insideWindow(incident, action) && compareToSeen(incident, name) === 'seen') {
    closeIncident(state, decision, action.acceptedAt, 'console');
    return { outcome: 'closed', incidentId: incident.id };
  }
  return { outcome: waits === 'another' ? 'another_waits' : 'nothing_waits' };
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

/** Whoever is silent has tripped nothing that others tripped. */
function trippedKey({ keySeq, silentSince = null }: Action): number | null {
  return silentSince === null ? keySeq : null;
}

function fold(source: SourceFacts, decision: Decision, incident: Incident, action: Action): Applied {
  const { state } = decision;
  foldIntoIncident(state, decision, incident, { ...action, keySeq: trippedKey(action) }, source.stillHappeningS);
  return { outcome: 'folded', incidentId: incident.id };
}

/** Trigger (SPEC.md 3): folds, is held by the gate, waits in its window, or opens an incident. */
function trigger(source: SourceFacts, decision: Decision, action: Action): Applied {
  const { state } = decision;
  const { incident, pending } = state;
  if (foldsInto(incident, action)) return fold(source, decision, incident, action);
  if (pending !== null && action.mode !== null) {
    const waitsLonger = rehearsesInto(pending, action) ? { windowS: Number.POSITIVE_INFINITY } : {};
    state.pending = foldIntoPending(pending, { ...action, mode: action.mode, ...waitsLonger });
    return { outcome: 'folded', pendingId: pending.id };
  }
  const { onlyWhenArmed } = action;
  if (heldByGate({ kind: source.kind, onlyWhenArmed, armedMode: state.armedMode, engaged: false })) {
    const open = state.incident;
    if (open === null) return { outcome: 'held_by_gate' };
    // Only what is open lets it through, and so it opens nothing.
    if (open.environment === 'live') return fold(source, decision, open, action);
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
    trippedKeys: trippedAlso([], action.keySeq),
    silentSince: action.silentSince ?? null,
    traceId: action.traceId,
  });
  return { outcome: 'opened', incidentId };
}
