import type { Via } from './incident.ts';
import type { ModeId } from './mode.ts';
import type { Environment, Verb } from './source.ts';

/** Everything that changes a source's state goes through its queue: calls of machines, of people and of its owner. */
export type ActionVerb = Verb | 'acknowledge' | 'close' | 'go_live' | 'disable';

/** What a call can ask for as the log says it. Of reads only refused ones stand there; empty: nothing that there is. */
export type CallVerb = ActionVerb | 'describe' | 'state' | 'listen' | '';

/** A stored action. What was fixed when it was accepted is never decided again. Times in milliseconds since 1970. */
export interface Action {
  id: string;
  verb: ActionVerb;
  /** Alarms: the mode that an arm or trigger acts on. Else null. */
  mode: ModeId | null;
  environment: Environment;
  /** The false-alarm window of that mode in seconds; 0 is none. */
  windowS: number;
  onlyWhenArmed: boolean;
  traceId: string;
  acceptedAt: number;
  /** `acknowledge` and `close`: the incident meant. */
  incidentId: string | null;
  /** The person who acts; null for a machine. A trigger of a person is a rehearsal. */
  actor: string | null;
  /** `acknowledge`: how it came, and the contact of the incident who acts, where that is known. */
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
  /** It could not be applied for ten minutes, for a reason of its own. */
  | 'failed';

export interface ActionOutcome {
  actionId: string;
  outcome: Outcome;
  /** The incident that it opened, joined, took or closed. */
  incidentId: string | null;
  /** The pending trigger that it began, joined or cancelled. */
  pendingId: string | null;
}
