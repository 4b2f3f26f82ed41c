import type { AttemptOutcome } from '../domain/delivery.ts';
import { say } from '../rpc/reader.ts';

/** The outcome of a drill in DrillResponse: an obstacle and a refusal look the same to the person who tries. */
export const DRILL_OUTCOMES: Record<AttemptOutcome['kind'], string> = {
  sent: 'sent',
  delivered: 'delivered',
  kept: 'no_carrier',
  put_off: 'temporary_fault',
  asked_to_wait: 'temporary_fault',
  temporary_fault: 'temporary_fault',
  obstacle: 'permanent_fault',
  permanent_fault: 'permanent_fault',
};

/** What a carrier answered: its reference of a message that it took, else why it did not. */
export function detailOf(outcome: AttemptOutcome): string {
  return 'providerRef' in outcome ? outcome.providerRef : say().faults(outcome.reason);
}
