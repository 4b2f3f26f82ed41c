import type { ExplainedDelivery } from '../types.ts';

/**
 * Why a message does not go out, in words. The shortest of the carriers' words are said at more length; whatever else one
 * says is in words already and stands as it is.
 */
const REASONS: Record<string, string> = {
  plan_required: 'the plan does not cover this channel',
  no_address: 'the contact has no address for this channel',
  spend_ceiling: 'the daily SMS and call limit was reached',
  not_verified: 'the address is not verified',
  disabled: 'the address is disabled',
  throttled: 'the contact had just received many messages over this channel',
  busy: 'the line was busy',
  'no answer': 'nobody picked up',
  'invalid number': 'the carrier says that the phone number does not exist',
  'unknown number': 'the phone number is not in service',
  'unreachable handset': 'the phone was switched off or out of reach',
  blocked: 'the phone or its carrier blocks such messages',
};

/** What ends an escalation, in words (DECISIONS.md "Close or acknowledge"). */
const ENDINGS: Record<string, string> = {
  acknowledged: 'the incident was acknowledged',
  clear: 'the incident was cleared',
  disarm: 'the alarm was disarmed',
  auto_close: 'the incident closed automatically',
  console: 'somebody closed the incident',
  superseded: 'a live incident replaced it',
  went_live: 'the source was switched to live',
  source_disabled: 'the source was disabled',
};

/**
 * Whether a message alerted anybody and if not why, in one sentence (DECISIONS.md "Delivery"): "sent" never claims that it
 * arrived.
 */
export function deliveries(on: ExplainedDelivery): string {
  return `${became(on)}${on.insteadOf === null ? '' : ` It stands in for ${on.insteadOf}.`}`;
}

function became({ channel, status, reason, cancelledBy }: ExplainedDelivery): string {
  const because =
    reason === 'no_carrier'
      ? `no carrier is set up for ${channel}`
      : Object.hasOwn(REASONS, reason)
        ? REASONS[reason]!
        : reason;
  switch (status) {
    case 'scheduled':
      if (reason === 'throttled') return `Postponed: ${because}.`;
      return because === '' ? 'Scheduled.' : `To be tried again: ${because}.`;
    case 'suppressed':
      return because === ''
        ? 'Not sent in test; live, it would have been sent.'
        : `Not sent in test; live it would not have gone: ${because}.`;
    case 'sending':
      return 'Being sent.';
    case 'sent':
      return 'The carrier accepted it; whether it arrived is not known.';
    case 'delivered':
      return 'The carrier reports that it arrived.';
    case 'failed':
      return `Failed: ${because || 'the carrier gave no reason'}.`;
    case 'cancelled':
      if (reason === 'restored') return 'Not sent: it was due before a backup was restored.';
      return `Not sent: ${ENDINGS[cancelledBy] ?? 'the incident was over'}.`;
    case 'no_carrier':
      return `Not sent: ${because || 'no carrier is set up'}.`;
  }
}
