import type { ChannelKind } from '../process/vocabulary.ts';
import { LATE_AFTER_MS } from './audit-step.ts';

export { CHANNELS, type ChannelKind } from '../process/vocabulary.ts';

/**
 * The states of a delivery (DECISIONS.md "Delivery"). `sent` (the provider accepted it) and `delivered` (the provider
 * says it arrived) are never merged. `no_carrier`: nothing is set up for the channel; the message is kept and reaches
 * nobody.
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
 * Returns where a message belongs in the timeline of its incident, milliseconds since 1970. A message that started in
 * time gets the time of its step, so that the messages of a step keep their stated order (DECISIONS.md "A step")
 * however fast each carrier is. A late one gets the time of its first attempt, a future one its due time.
 */
export function standsAt(message: {
  status: DeliveryStatus;
  plannedAt: number;
  dueAt: number;
  /** Null if it was not tried. */
  firstAttemptAt: number | null;
}): number {
  const { status, plannedAt, dueAt, firstAttemptAt } = message;
  if (firstAttemptAt === null || status === 'scheduled') return dueAt;
  return firstAttemptAt - plannedAt > LATE_AFTER_MS ? firstAttemptAt : plannedAt;
}

/**
 * The result of one attempt. `reason` is the provider's own wording; `message` is the text that would have been sent;
 * `units` are the parts charged for, 1 where there is nothing to count. `delivered`: the receiving end itself confirmed
 * it. `put_off`: not tried, because the provider is busy with other messages of ours.
 */
export type AttemptOutcome =
  | { kind: 'sent'; providerRef: string; units?: number }
  | { kind: 'delivered'; providerRef: string; units?: number }
  | { kind: 'put_off'; reason: string; afterS: number }
  | { kind: 'kept'; reason: string; message: string }
  | { kind: 'temporary_fault'; reason: string }
  | { kind: 'permanent_fault'; reason: string }
  /** Something blocks the message, and nothing was tried (escalation.ts `obstacle`). */
  | { kind: 'obstacle'; reason: string };

/**
 * What follows an attempt. `retryAfterS` counts from the attempt; `counts`: whether it used up one of a message's four
 * attempts.
 */
export type AfterAttempt =
  | { status: 'sent' | 'delivered'; providerRef: string; units: number }
  | { status: 'no_carrier'; reason: string; message: string }
  | { status: 'scheduled'; retryAfterS: number; reason: string; counts: 'tried' | 'not_tried' }
  | { status: 'failed'; reason: string; counts: 'tried' | 'not_tried' };

/** Waits before the second, third and fourth attempt after temporary faults, in seconds. */
export const RETRY_AFTER_S: readonly number[] = [5, 15, 45];

/** Time limit of one attempt, in seconds. Mail servers may take long to accept a message (RFC 5321 4.5.3.2). */
export const ATTEMPT_TIMEOUT_S: Record<ChannelKind, number> = { text: 10, call: 10, email: 30, push: 10, webhook: 10 };

/**
 * How long an attempt may be under way before another worker takes it over, in seconds: its time limit plus a margin.
 */
export function leaseS(channel: ChannelKind): number {
  return ATTEMPT_TIMEOUT_S[channel] + 15;
}

/**
 * Returns what follows an attempt. `attempt` counts from 1. A temporary fault is tried four times in all, a permanent
 * one never again.
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
 * Returns the channel to try at once after one failed for good: the contact's first other usable channel that this step
 * has not used (DECISIONS.md "A send fails for good"). `usable` is in the contact's own order. Null if there is none.
 */
export function failoverChannel(
  usable: readonly ChannelKind[],
  usedInStep: readonly ChannelKind[],
): ChannelKind | null {
  return usable.find(channel => !usedInStep.includes(channel)) ?? null;
}
