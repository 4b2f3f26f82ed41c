import type { AttemptOutcome, ChannelKind } from '../domain/delivery.ts';

/** What was tried. */
export interface DrillSituation {
  contactKey: string;
  contactName: string;
  channel: ChannelKind;
  /** Whether this deployment has a carrier for the channel. */
  carrier: 'there' | 'none';
  /** Why alerts leave the channel out; empty: they do not. */
  disabledReason: string;
  /** Whether somebody has shown that the address is theirs. */
  verification: 'verified' | 'not_verified';
}

/** What a drill came to, as DrillResponse says it: what stood in the way and a refusal are the same to who tries. */
export const DRILL_OUTCOMES: Record<AttemptOutcome['kind'], string> = {
  sent: 'sent',
  delivered: 'delivered',
  kept: 'outbox',
  put_off: 'temporary_fault',
  temporary_fault: 'temporary_fault',
  obstacle: 'permanent_fault',
  permanent_fault: 'permanent_fault',
};

/** What to do after a drill, as a sentence. Empty: nothing. */
export function drillFix(outcome: AttemptOutcome, situation: DrillSituation): string {
  const { contactName, channel, carrier } = situation;
  switch (outcome.kind) {
    case 'sent':
    case 'delivered':
      return whyLeftOut(situation);
    case 'kept':
      return carrier === 'none'
        ? `Set up a carrier for ${channel}, or let policies tell ${contactName} over a channel that has one.`
        : `Give ${contactName} a real address for ${channel}, then try again.`;
    case 'put_off':
    case 'temporary_fault':
      return 'Try again in a minute. An alert would be tried again by itself.';
    case 'obstacle':
    case 'permanent_fault':
      return outcome.reason === 'plan_required'
        ? `Change to the paid plan, or let policies tell ${contactName} by email.`
        : `Check the address of ${contactName} for ${channel}: the same message would be refused again.`;
  }
}

/** What keeps alerts from an address that works. */
function whyLeftOut({ contactKey, contactName, channel, disabledReason, verification }: DrillSituation): string {
  if (disabledReason !== '') {
    return `The ${channel} of ${contactName} is switched off (${disabledReason}), so alerts leave it out: switch it on again.`;
  }
  if (verification === 'verified') return '';
  return `Nobody has shown yet that the ${channel} of ${contactName} is theirs, so live alerts leave it out: tocsin contacts verify ${contactKey} ${channel}.`;
}
