import type { Via } from './incident.ts';
import type { ModeId } from './mode.ts';
import type { Environment, Verb } from './source.ts';

/**
 * Everything that changes a source's state goes through its queue, whether a machine, a person or its owner asked for
 * it.
 */
export type ActionVerb = Verb | 'acknowledge' | 'close' | 'go_live' | 'disable';

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
  acceptedAt: number;
  /** The incident to acknowledge or close. */
  incidentId: string | null;
  /** The person who acts; null for a machine. A trigger with an actor is a rehearsal. */
  actor: string | null;
  /** For `acknowledge`: how it arrived, and which contact of the incident sent it, if known. */
  via: Via | null;
  contactId: string | null;
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
  | 'held_by_gate'
  | 'source_disabled'
  | 'acknowledged'
  | 'already_acknowledged'
  | 'already_closed'
  | 'went_live'
  | 'disabled'
  /** It could not be applied for ten minutes, for a reason of its own (not an outage). */
  | 'failed';

export interface ActionOutcome {
  actionId: string;
  outcome: Outcome;
  /** The incident that it opened, folded into, acknowledged or closed. */
  incidentId: string | null;
  /** The pending trigger that it started, folded into or cancelled. */
  pendingId: string | null;
}
