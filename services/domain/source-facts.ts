import type { Chances } from './chances.ts';
import type { PolicyCopy } from './escalation.ts';
import type { ModeId } from './mode.ts';
import type { Means } from './reach.ts';
import type { Disabled, Environment, SourceKind } from './source.ts';

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
  policyFor(mode: ModeId | null): PolicyCopy | null | 'unplannable';
  /** How many messages an incident may plan now; absent: as many as any may (escalation.ts DELIVERIES_MOST). */
  messagesMost?(environment: Environment): number;
  /** A fresh 32-character identifier. */
  newId(): string;
  /**
   * Whether everybody had their chance in an incident that is due to count as unanswered. `not_known`: decide it another
   * time, as its messages may not even be stored. Absent or null: nothing waits, and what was tried is not said.
   */
  chancesOf?(incidentId: string): Chances | 'not_known' | null;
}
