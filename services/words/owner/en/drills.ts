import type { AttemptOutcome } from '../../../domain/delivery.ts';
import type { DrillSituation } from '../types.ts';

/** Says what to do after a drill, in one sentence. Empty: nothing. */
export function drills(outcome: AttemptOutcome, situation: DrillSituation): string {
  const { contactName, channel, tried } = situation;
  switch (outcome.kind) {
    case 'sent':
    case 'delivered':
      return whyLeftOut(situation);
    case 'kept':
      return tried === 'no_carrier'
        ? `Set up a carrier for ${channel}, or let policies alert ${contactName} over a channel that has one.`
        : `Give ${contactName} a real address for ${channel}, then try again.`;
    case 'put_off':
    case 'asked_to_wait':
    case 'temporary_fault':
      return 'Try again in a minute. Alerts are retried automatically.';
    case 'obstacle':
    case 'permanent_fault':
      return outcome.reason === 'plan_required'
        ? `Change to the paid plan, or let policies alert ${contactName} by email.`
        : `Check the address of ${contactName} for ${channel}: another try would be refused again.`;
  }
}

/** What keeps alerts from an address that works. */
function whyLeftOut({ contactKey, contactName, channel, disabledReason, live }: DrillSituation): string {
  if (live === 'disabled') {
    return `The ${channel} of ${contactName} is disabled (${disabledReason}), so alerts skip it: enable it again.`;
  }
  if (live !== 'not_verified') return '';
  return `The ${channel} of ${contactName} is not verified, so live alerts skip it: tocsin contacts verify ${contactKey} ${channel}.`;
}
