import type { Action } from '../../services/domain/action.ts';
import type { SourceFacts } from '../../services/domain/decide.ts';
import { CHANNELS } from '../../services/domain/delivery.ts';
import type { ContactCopy, PolicyCopy, StepCopy } from '../../services/domain/escalation.ts';
import type { Changes, Incident, PendingTrigger, SourceState } from '../../services/domain/incident.ts';
import type { ModeId } from '../../services/domain/mode.ts';
import { windowName } from '../../services/domain/pending.ts';
import type { Means } from '../../services/domain/reach.ts';

/** The moment that the tables count from, and seconds after it, in milliseconds since 1970. */
export const START = Date.UTC(2026, 0, 1);
export const seconds = (s: number): number => START + Math.round(s * 1000);

export const DAY_S = 24 * 60 * 60;

/** A contact over these channels, with an address for each. */
export function contact(id: string, channels: ContactCopy['channels'], but: Partial<ContactCopy> = {}): ContactCopy {
  const addresses = channels.map(channel => ({ channel, address: `${id} by ${channel}` }));
  return { id, name: id, locale: 'en', timeZone: 'UTC', channels, addresses, ...but };
}

/** A policy of steps, each `[delay after the one before it in seconds, contacts]`, without further rounds. */
export function policy(steps: [delayS: number, contacts: ContactCopy[]][], but: Partial<PolicyCopy> = {}): PolicyCopy {
  const copies: StepCopy[] = steps.map(([delayS, contacts]) => ({ delayS, contacts }));
  return { id: 'policy', name: 'Family', steps: copies, repeat: 0, repeatDelayS: 300, ...but };
}

/** Anna at once by text, Ben after 300 s by call: the escalation ends 300 s after it began. */
export const FAMILY: PolicyCopy = policy([
  [0, [contact('anna', ['text'])]],
  [300, [contact('ben', ['call'])]],
]);

/** Everything is paid for and set up. */
export const MEANS: Means = { account: { plan: 'paid', trialEndsAt: START }, carriers: CHANNELS };

/** A live alarm whose every mode tells the family. Incidents are called incident-1, incident-2 … */
export function alarm(but: Partial<SourceFacts> = {}): SourceFacts {
  let opened = 0;
  return {
    kind: 'alarm',
    disabled: 'no',
    clearOnDisarm: false,
    stillHappeningS: 0,
    means: MEANS,
    policyFor: () => FAMILY,
    newId: () => `incident-${++opened}`,
    ...but,
  };
}

/** A panic button that tells the family. */
export function panicButton(but: Partial<SourceFacts> = {}): SourceFacts {
  return alarm({ kind: 'panic_button', ...but });
}

export function state(but: Partial<SourceState> = {}): SourceState {
  return { armedMode: null, pending: null, incident: null, ...but };
}

export function noChanges(): Changes {
  return {
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
}

/** An incident that a live trigger at 0 s opened at once; its escalation ends at 300 s. */
export function incident(but: Partial<Incident> = {}): Incident {
  return {
    id: 'open-1',
    mode: 'away',
    environment: 'live',
    openedAt: START,
    windowEndedAt: null,
    outcome: 'alerting',
    escalationEndsAt: seconds(300),
    acknowledgedAt: null,
    acknowledgedBy: null,
    acknowledgedVia: null,
    acknowledgedContactId: null,
    closedAt: null,
    closeReason: null,
    handedOver: 0,
    handedTo: null,
    askAgainAfterS: 0,
    askedAgain: 0,
    asksAgainAt: null,
    triggerCount: 1,
    lastTriggerAt: START,
    trippedKeys: [],
    silentSince: null,
    traceId: 'trace of open-1',
    ...but,
  };
}

/** A live trigger at 0 s that waits until 30 s. */
export function pending(but: Partial<PendingTrigger> = {}): PendingTrigger {
  return {
    id: 'pending-1',
    dueAt: seconds(30),
    mode: 'away',
    traceId: 'trace of pending-1',
    environment: 'live',
    triggerCount: 1,
    lastTriggerAt: START,
    trippedKeys: [],
    silentSince: null,
    ...but,
  };
}

/**
 * The actions that can be accepted `s` seconds after the start. Each is called `verb@s` and its call `trace of verb@s`;
 * triggers are live, in away, without a window and with nobody's key unless said otherwise.
 */
export function at(s: number) {
  const action = (verb: Action['verb'], but: Partial<Action> = {}): Action => ({
    id: `${verb}@${s}`,
    verb,
    mode: null,
    environment: 'live',
    windowS: 0,
    onlyWhenArmed: false,
    traceId: `trace of ${verb}@${s}`,
    keySeq: null,
    acceptedAt: seconds(s),
    incidentId: null,
    actor: null,
    via: null,
    contactId: null,
    ...but,
  });
  return {
    arm: (mode: ModeId) => action('arm', { mode }),
    disarm: () => action('disarm'),
    trigger: (but: Partial<Action> = {}) => action('trigger', { mode: 'away', ...but }),
    press: (but: Partial<Action> = {}) => action('trigger', but),
    clear: () => action('clear'),
    acknowledge: (incidentId: string, actor = 'anna') => action('acknowledge', { incidentId, actor }),
    callOff: (traceId: string, senders = 1) =>
      action('call_off', { detail: windowName(traceId, senders), actor: 'anna' }),
    close: (incidentId: string) => action('close', { incidentId }),
    goLive: () => action('go_live'),
    disable: () => action('disable'),
  };
}
