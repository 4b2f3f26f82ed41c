import { FAILING_AFTER } from '../../../domain/delivery.ts';
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

function became({ channel, status, reason, cancelledBy, attempts = 0, instead = null }: ExplainedDelivery): string {
  const because =
    reason === 'no_carrier'
      ? `no carrier is set up for ${channel}`
      : Object.hasOwn(REASONS, reason)
        ? REASONS[reason]!
        : reason;
  switch (status) {
    case 'scheduled':
      if (reason === 'throttled') return `Postponed: ${because}.`;
      if (because === '') return 'Scheduled.';
      if (attempts < FAILING_AFTER) return `To be tried again: ${because}.`;
      return `Not taken yet, tried ${attempts} times and to be tried again: ${because}.${wentInstead(instead, 'beside it')}`;
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
      return `Failed${attempts > 1 ? ` after ${attempts} tries` : ''}: ${because || 'the carrier gave no reason'}.${wentInstead(instead, 'in its place')}`;
    case 'cancelled':
      if (reason === 'restored') return 'Not sent: it was due before a backup was restored.';
      if (attempts < FAILING_AFTER) return `Not sent: ${ENDINGS[cancelledBy] ?? 'the incident was over'}.`;
      return `Outdated: tried ${attempts} times (${because}), then ${ENDINGS[cancelledBy] ?? 'a later message to them went out over this channel'}.`;
    case 'no_carrier':
      return `Not sent: ${because || 'no carrier is set up'}.`;
  }
}

function wentInstead(channel: ExplainedDelivery['instead'], how: string): string {
  return channel ? ` A message by ${channel} went ${how}.` : '';
}
