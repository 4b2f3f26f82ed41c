import type { Action, Outcome } from '../../services/domain/action.ts';
import { type Decision, decide, type SourceFacts } from '../../services/domain/decide.ts';
import type { SourceState } from '../../services/domain/incident.ts';
import { alarm, seconds, state } from '../support/decide.ts';

export const W30 = { windowS: 30 };
export const TEST = { environment: 'test' } as const;
export const GATED = { onlyWhenArmed: true };

/** What one action at 10 s comes to. */
export function one(action: Action, from: SourceState = state(), source: SourceFacts = alarm()) {
  const decision = decide(source, from, [action], seconds(10));
  return { ...decision, ...decision.outcomes[0]! };
}

export function outcomes({ outcomes }: Decision): Outcome[] {
  return outcomes.map(({ outcome }) => outcome);
}
