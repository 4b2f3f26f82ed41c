import type { ChannelKind } from '../process/vocabulary.ts';
import { LATE_AFTER_MS } from './audit-step.ts';

export { CHANNELS, type ChannelKind } from '../process/vocabulary.ts';

/**
 * The states of a delivery (DECISIONS.md "Delivery"). `sent` (the provider took it) and `delivered` (the provider says it
 * arrived) are never merged. `no_carrier`: nothing is configured for the channel, the message is kept and reaches nobody.
 */
export type DeliveryStatus =
  | 'scheduled'
  | 'suppressed'
  | 'sending'
  | 'sent'
  | 'delivered'
  | 'failed'
  | 'cancelled'
  | 'no_carrier';

/**
 * Where a message stands in the story of its incident, milliseconds since 1970: what began in time stands at the time of its step, so
 * that the messages of a step stand in the stated order (DECISIONS.md "A step"), however fast each carrier is. What began late
 * stands at its first attempt, what is yet to come at its due time.
 */
export function standsAt(message: {
  status: DeliveryStatus;
  plannedAt: number;
  dueAt: number;
  /** Null: it was not tried. */
  firstAttemptAt: number | null;
}): number {
  const { status, plannedAt, dueAt, firstAttemptAt } = message;
  if (firstAttemptAt === null || status === 'scheduled') return dueAt;
  return firstAttemptAt - plannedAt > LATE_AFTER_MS ? firstAttemptAt : plannedAt;
}

/**
 * What a channel says of one attempt. `reason` is the provider's own in words; `message` is the text that would have been
 * sent; `units` are the parts that a text is charged for, 1 where there is nothing to count. `delivered`: the other end
 * itself said that it has it. `put_off`: nothing was tried, because the provider is busy with others of ours.
 */
export type AttemptOutcome =
  | { kind: 'sent'; providerRef: string; units?: number }
  | { kind: 'delivered'; providerRef: string; units?: number }
  | { kind: 'put_off'; reason: string; afterS: number }
  | { kind: 'kept'; reason: string; message: string }
  | { kind: 'temporary_fault'; reason: string }
  | { kind: 'permanent_fault'; reason: string }
  /** Something stands in the way, and nothing was tried (escalation.ts `obstacle`). */
  | { kind: 'obstacle'; reason: string };

/**
 * What follows an attempt. `retryAfterS` counts from the attempt; `counts`: whether it was one of the four that a message
 * has.
 */
export type AfterAttempt =
  | { status: 'sent' | 'delivered'; providerRef: string; units: number }
  | { status: 'no_carrier'; reason: string; message: string }
  | { status: 'scheduled'; retryAfterS: number; reason: string; counts: 'tried' | 'not_tried' }
  | { status: 'failed'; reason: string; counts: 'tried' | 'not_tried' };

/** Waits before the second, third and fourth attempt after temporary faults, in seconds. */
export const RETRY_AFTER_S: readonly number[] = [5, 15, 45];

/** How long one attempt may take, in seconds. Mail servers may think for long before they take a message (RFC 5321 4.5.3.2). */
export const ATTEMPT_TIMEOUT_S: Record<ChannelKind, number> = { text: 10, call: 10, email: 30, push: 10, webhook: 10 };

/** How long an attempt may be under way before another worker takes it over, in seconds: its timeout and a margin. */
export function leaseS(channel: ChannelKind): number {
  return ATTEMPT_TIMEOUT_S[channel] + 15;
}

/**
 * The table of an attempt: what it says, how many there were with it (1 for the first) and what follows.
 * A temporary fault is tried four times in all, a permanent one never again.
 */
export function afterAttempt(outcome: AttemptOutcome, attempt: number): AfterAttempt {
  switch (outcome.kind) {
    case 'sent':
    case 'delivered':
      return { status: outcome.kind, providerRef: outcome.providerRef, units: outcome.units ?? 1 };
    case 'put_off':
      return { status: 'scheduled', retryAfterS: outcome.afterS, reason: outcome.reason, counts: 'not_tried' };
    case 'kept':
      return { status: 'no_carrier', reason: outcome.reason, message: outcome.message };
    case 'permanent_fault':
      return { status: 'failed', reason: outcome.reason, counts: 'tried' };
    case 'obstacle':
      return { status: 'failed', reason: outcome.reason, counts: 'not_tried' };
    case 'temporary_fault': {
      const retryAfterS = RETRY_AFTER_S[attempt - 1];
      if (retryAfterS === undefined) return { status: 'failed', reason: outcome.reason, counts: 'tried' };
      return { status: 'scheduled', retryAfterS, reason: outcome.reason, counts: 'tried' };
    }
  }
}

/**
 * The channel to try at once after one failed for good: the contact's first other usable channel that this step has not
 * used (DECISIONS.md "A send fails for good"). `usable` is in the contact's own order. Null: there is none.
 */
export function failoverChannel(
  usable: readonly ChannelKind[],
  usedInStep: readonly ChannelKind[],
): ChannelKind | null {
  return usable.find(channel => !usedInStep.includes(channel)) ?? null;
}
