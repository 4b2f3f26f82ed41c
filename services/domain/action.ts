import type { Via } from './incident.ts';
import type { ModeId } from './mode.ts';
import type { Environment, Verb } from './source.ts';

/**
 * Everything that changes a source's state goes through its queue, whether a machine, a person or its owner asked for
 * it.
 */
export type ActionVerb = Verb | PersonsVerb | 'go_live' | 'disable';

/** What people do to an open incident, or to what is about to open one. It waits for no turn of its account. */
export const PERSONS_VERBS = ['acknowledge', 'close', 'next_step', 'note', 'hand_over', 'decline', 'call_off'] as const;

export type PersonsVerb = (typeof PERSONS_VERBS)[number];

/**
 * What a call asked for, as the call log names it. Of reads, only refused ones are logged. Empty: no such operation.
 */
export type CallVerb = ActionVerb | 'describe' | 'state' | 'listen' | '';

/** A stored action. What was fixed at acceptance is never decided again. Times in milliseconds since 1970. */
export interface Action {
  id: string;
  verb: ActionVerb;
  /** For arm and trigger of an alarm, the mode they act on; null otherwise. */
  mode: ModeId | null;
  environment: Environment;
  /** The false-alarm window of that mode in seconds; 0 means none. */
  windowS: number;
  onlyWhenArmed: boolean;
  traceId: string;
  /** The number of the key it came with; null for a person. */
  keySeq: number | null;
  acceptedAt: number;
  /** The incident that a person does something to. */
  incidentId: string | null;
  /** The person who acts; null for a machine. A trigger with an actor is a rehearsal, or a panic button pressed in the console. */
  actor: string | null;
  /** For `acknowledge`: how it arrived, and which contact of the incident sent it, if known. */
  via: Via | null;
  contactId: string | null;
  /**
   * Of a trigger that the product makes itself, because nothing is heard of the key (DECISIONS.md "A silence that
   * alerts"): since when; absent or null: of all others.
   */
  silentSince?: number | null;
  /**
   * `next_step`: which (escalation.ts `stepName`); `note`: its text; `hand_over`: the id of the contact who takes over;
   * `call_off`: what was seen to wait (pending.ts `windowName`).
   */
  detail?: string | null;
}

/** What became of an action (DECISIONS.md "Outcome of each call"). */
export type Outcome =
  | 'armed'
  | 'disarmed'
  | 'pending'
  | 'opened'
  | 'cancelled'
  | 'folded'
  | 'closed'
  | 'nothing_open'
  | 'nothing_waits'
  | 'more_came'
  | 'another_waits'
  | 'held_by_gate'
  | 'source_disabled'
  | 'acknowledged'
  | 'already_acknowledged'
  | 'already_closed'
  | 'stepped'
  | 'no_next_step'
  | 'noted'
  | 'too_many_notes'
  | 'too_many_hand_overs'
  | 'handed_over'
  | 'already_handed_over'
  | 'not_reachable'
  | 'declined'
  | 'declined_next'
  | 'declined_last'
  | 'went_live'
  | 'disabled'
  /** It could not be applied for ten minutes, for a reason of its own (not an outage). */
  | 'failed';

export interface ActionOutcome {
  actionId: string;
  outcome: Outcome;
  /** The incident that it opened, folded into, acknowledged, closed or that a person did something to. */
  incidentId: string | null;
  /** The pending trigger that it started, folded into or cancelled. */
  pendingId: string | null;
}
