/** The ways a person can be reached. Also the order in which another channel is looked for when one fails for good. */
export const CHANNELS = ['text', 'call', 'email', 'push', 'webhook'] as const;

export type ChannelKind = (typeof CHANNELS)[number];

/**
 * The states of a delivery (DECISIONS.md "Delivery"). `sent` (the provider took it) and `delivered` (the provider says it
 * arrived) are never merged. `outbox`: nothing is configured for the channel, the message is kept and reaches nobody.
 */
export type DeliveryStatus =
  | 'scheduled'
  | 'suppressed'
  | 'sending'
  | 'sent'
  | 'delivered'
  | 'failed'
  | 'cancelled'
  | 'outbox';

/**
 * What a channel says of one attempt. `reason` is the provider's own in words; `message` is the text that would have been
 * sent.
 */
export type AttemptOutcome =
  | { kind: 'sent'; providerRef: string }
  | { kind: 'kept'; reason: string; message: string }
  | { kind: 'temporary_fault'; reason: string }
  | { kind: 'permanent_fault'; reason: string };

/** What follows an attempt. `retry` is due `afterS` seconds after the attempt. */
export type AfterAttempt =
  | { status: 'sent'; providerRef: string }
  | { status: 'outbox'; reason: string; message: string }
  | { status: 'scheduled'; retryAfterS: number; reason: string }
  | { status: 'failed'; reason: string };

/** Waits before the second, third and fourth attempt, in seconds (RELIABILITY: temporary faults). */
export const RETRY_AFTER_S: readonly number[] = [5, 15, 45];

/** How long an attempt may take before another worker may take it over, in seconds: the SMTP timeout of 30 and a margin. */
export const LEASE_S = 45;

/**
 * The table of an attempt: what it says, how often it was tried (1 for the first) and what follows.
 * A temporary fault is tried four times in all, a permanent one never again.
 */
export function afterAttempt(outcome: AttemptOutcome, attempt: number): AfterAttempt {
  switch (outcome.kind) {
    case 'sent':
      return { status: 'sent', providerRef: outcome.providerRef };
    case 'kept':
      return { status: 'outbox', reason: outcome.reason, message: outcome.message };
    case 'permanent_fault':
      return { status: 'failed', reason: outcome.reason };
    case 'temporary_fault': {
      const retryAfterS = RETRY_AFTER_S[attempt - 1];
      if (retryAfterS === undefined) return { status: 'failed', reason: outcome.reason };
      return { status: 'scheduled', retryAfterS, reason: outcome.reason };
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
