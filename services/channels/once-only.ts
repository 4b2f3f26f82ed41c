import type { Alert } from '../domain/alert.ts';
import type { AttemptOutcome } from '../domain/delivery.ts';
import { mayGoTwice } from '../domain/standing-by.ts';

/** Returns the outcome where a carrier recognises no message again: what it may have taken, and is no live alert, is not sent again. */
export function onceOnly(outcome: AttemptOutcome, alert: Alert): AttemptOutcome {
  if (outcome.kind !== 'temporary_fault' || outcome.taken === 'no') return outcome;
  if ('environment' in alert && mayGoTwice({ ...alert, kind: alert.purpose }) === 'rather_twice') return outcome;
  const { reason, carrier } = outcome;
  return { kind: 'permanent_fault', reason, taken: 'maybe', ...(carrier !== undefined && { carrier }) };
}
