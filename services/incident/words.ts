import type { DeliveryStatus } from '../domain/delivery.ts';

/** What is known about a delivery when it is explained. */
export interface ExplainedDelivery {
  status: DeliveryStatus;
  /** What stood in the way, as it is stored: `plan_required`, `spend_ceiling`, `throttled`, or words of a carrier. Empty: nothing. */
  reason: string;
  /** What ended the escalation, of a cancelled delivery: `acknowledged` or the close reason. */
  cancelledBy: string;
}

/**
 * Why a message does not go out, in words. The shortest of the carriers' words are said at more length; whatever else one
 * says is in words already and stands as it is.
 */
const REASONS: Record<string, string> = {
  plan_required: 'the plan of the account does not cover this channel',
  no_address: 'the contact has no address for this channel',
  spend_ceiling: 'texts and calls have cost as much today as may be spent on one day',
  not_verified: 'nobody has shown by a code that this address is theirs',
  throttled: 'the contact got many messages over this channel within a short time',
  busy: 'the line was busy',
  'no answer': 'nobody picked up the phone',
  'invalid number': 'the carrier says that there is no such phone number',
  'unknown number': 'the phone number is not in service',
  'unreachable handset': 'the phone was switched off or out of reach',
  blocked: 'the phone or its carrier blocks such messages',
};

/** What ends an escalation, in words (DECISIONS.md "Close or acknowledge"). */
const ENDINGS: Record<string, string> = {
  acknowledged: 'somebody took the incident',
  clear: 'the incident was cleared',
  disarm: 'the alarm was disarmed',
  auto_close: 'the incident closed by itself',
  console: 'a person closed the incident',
  superseded: 'a live incident took its place',
  went_live: 'the source was switched to live',
  source_disabled: 'the source was disabled',
};

/**
 * Whether a message alerted anybody and if not why, in one sentence (DECISIONS.md "Delivery"): "sent" never claims that it
 * arrived.
 */
export function explainDelivery({ status, reason, cancelledBy }: ExplainedDelivery): string {
  const because = Object.hasOwn(REASONS, reason) ? REASONS[reason]! : reason;
  switch (status) {
    case 'scheduled':
      if (reason === 'throttled') return `It was put off: ${because}.`;
      return because === '' ? 'It goes out when it is due.' : `It is tried again: ${because}.`;
    case 'suppressed':
      return because === ''
        ? 'In test nobody is alerted; live it would have gone out.'
        : `In test nobody is alerted; live it would have failed: ${because}.`;
    case 'sending':
      return 'It is being sent.';
    case 'sent':
      return 'The carrier took it; whether it arrived is not known.';
    case 'delivered':
      return 'The carrier says that it arrived.';
    case 'failed':
      return `It failed for good: ${because || 'the carrier gave no reason'}.`;
    case 'cancelled':
      return `It was not sent: ${ENDINGS[cancelledBy] ?? 'the incident was over'}.`;
    case 'outbox':
      return `It was kept here and sent to nobody: ${because || 'no carrier is configured'}.`;
  }
}
