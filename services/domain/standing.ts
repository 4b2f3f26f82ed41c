import type { Tried } from './chances.ts';
import { type Incident, outcomeShown } from './incident.ts';

/**
 * How an incident stands with the people it is about: what the first sentence says, wherever one speaks of it. `taken`:
 * somebody acknowledged; `alerting`: people are being alerted, and may still answer; `nobody_to_alert`; `nobody_reached`:
 * no carrier took any message; `nobody_acknowledged`: everyone who could be reached was alerted, and had their time to answer.
 */
export type Standing =
  | 'closed'
  | 'test'
  | 'taken'
  | 'alerting'
  | 'nobody_to_alert'
  | 'nobody_reached'
  | 'nobody_acknowledged';

/** Returns it (DECISIONS.md "One first sentence"). `reached`: whether any message so far was taken by a carrier, as far as is known. */
export function standingOf(
  incident: Pick<Incident, 'environment' | 'outcome'> & { closedAt: unknown; acknowledgedAt: unknown },
  reached: 'nobody' | 'somebody_maybe',
): Standing {
  if (incident.closedAt !== null) return 'closed';
  if (incident.environment === 'test') return 'test';
  if (incident.acknowledgedAt !== null) return 'taken';
  const outcome = outcomeShown(incident.outcome, reached);
  return outcome === 'exhausted' ? 'nobody_acknowledged' : outcome;
}

/** Returns whether any of the messages that were tried was taken by a carrier; null: that is not known. */
export function reachedIn(tried: Pick<Tried, 'taken'> | null): 'nobody' | 'somebody_maybe' {
  return tried?.taken === 0 ? 'nobody' : 'somebody_maybe';
}
