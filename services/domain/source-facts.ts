import type { Chances } from './chances.ts';
import type { PolicyNow } from './duty-told.ts';
import type { ContactCopy, ScheduledDelivery } from './escalation.ts';
import type { Incident } from './incident.ts';
import type { ModeId } from './mode.ts';
import type { Means } from './reach.ts';
import type { Disabled, Environment, SourceKind } from './source.ts';

/** Times in milliseconds since 1970. */
export interface StepsAhead {
  ahead: readonly { round: number; step: number; dueAt: number; contactIds: readonly string[] }[];
  round: number;
  /** The contacts whose messages have gone or are going, and those who said that they cannot. */
  told: readonly string[];
  declined: readonly string[];
}

/** How many notes an incident has, and the last ones. */
export interface NotesSoFar {
  count: number;
  last: readonly { by: string; text: string; at: number }[];
}

/** What is known of an incident whose acknowledgement has aged. Times in milliseconds since 1970. */
export interface AgeingFacts {
  /** Whoever acknowledged it, as they are now, with all channels that they have; null: no contact of the account. */
  contact: ContactCopy | null;
  /** The steps of its policy that the acknowledgement called off, in order. */
  calledOff: readonly { round: number; step: number; dueAt: number }[];
  /** The messages of its first round, each when it was due by the policy, whenever it went. */
  firstRound: readonly Pick<ScheduledDelivery, 'step' | 'contactId' | 'channel' | 'dueAt'>[];
  /** The round that ran last, and the last that is planned. */
  round: number;
  lastRound: number;
}

/** What the rules need to know of a source besides its state. */
export interface SourceFacts {
  kind: SourceKind;
  disabled: Disabled;
  clearOnDisarm: boolean;
  /** The pause in seconds after which a folded trigger is reported to those alerted; 0: never. */
  stillHappeningS: number;
  /** What its messages can be sent with. */
  means: Means;
  /**
   * The policy bound to a mode; for null, the panic button's own. Null: none is bound. `unplannable`: one is bound but
   * cannot be used.
   */
  policyFor(mode: ModeId | null): PolicyNow | null | 'unplannable';
  /** How many messages an incident may plan now; absent: as many as any may (escalation.ts DELIVERIES_MOST). */
  messagesMost?(environment: Environment): number;
  /** A fresh 32-character identifier. */
  newId(): string;
  /** Of an incident: its steps that are still to come, in order, and the round that runs now. Absent: none is known. */
  stepsOf?(incidentId: string): StepsAhead;
  /** Its notes. Absent: it has none. */
  notesOf?(incidentId: string): NotesSoFar;
  /** A contact of the account as they are now, with all channels that they have; null: there is none. */
  contactOf?(contactId: string): ContactCopy | null;
  /**
   * Whether everybody had their chance in an incident that is due to count as unanswered. `not_known`: decide it another
   * time, as its messages may not even be stored. Absent or null: nothing waits, and what was tried is not said.
   */
  chancesOf?(incident: Incident): Chances | 'not_known' | null;
  /** Of an incident as it is, whose acknowledgement has aged. Absent or null: decide it another time. */
  ageingOf?(incident: Incident): AgeingFacts | null;
}

/** What is asked where people do something to incidents (person-moves.ts). */
export type AskedFacts = Pick<SourceFacts, 'stepsOf' | 'notesOf' | 'contactOf'>;
