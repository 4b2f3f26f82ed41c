import type { ChannelKind } from '../process/vocabulary.ts';
import { LATE_AFTER_MS } from './audit-step.ts';

export { CHANNELS, type ChannelKind } from '../process/vocabulary.ts';

/**
 * Why a message of an incident is sent (DECISIONS.md "Delivery", "Swallowed alarms"). `acknowledged`: somebody
 * acknowledged it.
 */
export type DeliveryKind = 'alert' | 'acknowledged' | 'still_happening';

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

/** The reason of a message that was due when a backup was restored. */
export const MISSED_BY_RESTORE = 'restored';

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
 * it. `put_off`: not tried, because the provider is busy with other messages of ours. `asked_to_wait`: the receiving end
 * was asked, and wants it later.
 */
export type AttemptOutcome =
  /** `carriedBy`: the name of the carrier. `answered`: people answer it in the carrier's own app, which is asked for it. */
  | { kind: 'sent'; providerRef: string; units?: number; carriedBy?: string; answered?: 'at_carrier' }
  | { kind: 'delivered'; providerRef: string; units?: number; carriedBy?: string }
  | { kind: 'put_off'; reason: string; afterS: number }
  | { kind: 'asked_to_wait'; reason: string; afterS: number }
  | { kind: 'kept'; reason: string; message: string }
  /**
   * `carrier`: `away` if what this deployment sends by did not work at all, whoever the message was for; `cannot` if it does not take this
   * message, and another carrier may. `taken`: `no` if it is known not to have the message, `maybe` if it may have it and is
   * not tried again. `about`: `address` if it is this address that has to wait, which says nothing about the carrier. `carriedBy` and `answered` as above: it may have been taken.
   */
  | {
      kind: 'temporary_fault';
      reason: string;
      carrier?: 'away';
      taken?: 'no';
      about?: 'address';
      carriedBy?: string;
      answered?: 'at_carrier';
    }
  /** `carriedBy`: who refused it. */
  | { kind: 'permanent_fault'; reason: string; carrier?: 'away' | 'cannot'; taken?: 'maybe'; carriedBy?: string }
  /** Something blocks the message, and nothing was tried (reach.ts `wouldReach`). */
  | { kind: 'obstacle'; reason: string };

/**
 * What follows an attempt. `retryAfterS` counts from the attempt. `counts`: whether it was one; `asked_to_wait` uses up
 * none, though the message was tried. `nextChannel`: whether the contact's next channel goes now, beside this one; where
 * a message failed, it always does.
 */
export type AfterAttempt =
  | {
      status: 'sent' | 'delivered';
      providerRef: string;
      units: number;
      carriedBy?: string;
      answered?: 'at_carrier';
    }
  | { status: 'no_carrier'; reason: string; message: string }
  | {
      status: 'scheduled';
      retryAfterS: number;
      reason: string;
      counts: 'tried' | 'not_tried' | 'asked_to_wait';
      nextChannel: 'goes' | 'waits';
      carrier?: 'away';
      carriedBy?: string;
      answered?: 'at_carrier';
    }
  | {
      status: 'failed';
      reason: string;
      counts: 'tried' | 'not_tried';
      carrier?: 'away';
      carriedBy?: string;
      answered?: 'at_carrier';
    };

/** Pauses after the first failed attempts, in seconds. That many retries a message has in any case. */
export const RETRY_AFTER_S: readonly number[] = [5, 15, 45];

/** The longest pause between two attempts, in seconds. */
const LONGEST_RETRY_S = 900;

/**
 * How long a message is tried on after passing faults, in seconds since it was planned (DECISIONS.md "A passing
 * failure"). News of an acknowledgement, or that it goes on, is of use for a short while only. `notice`: to an owner,
 * since its first attempt.
 */
export const TRIED_ON_S: Record<DeliveryKind | 'notice', number> = {
  alert: 24 * 60 * 60,
  notice: 24 * 60 * 60,
  acknowledged: 900,
  still_happening: 900,
};

/**
 * After so many failed attempts a message counts as failing, though it is tried on: the next channel goes beside it,
 * and whether anybody was reached is judged without it.
 */
export const FAILING_AFTER = 2;

/**
 * For how long, in seconds since it was planned, a message may wait in all because whoever takes it asked for that, until the contact's next channel
 * goes beside it.
 */
export const WAITED_MOST_S = 10;

/** Time limit of one attempt, in seconds. Mail servers may take long to accept a message (RFC 5321 4.5.3.2). */
export const ATTEMPT_TIMEOUT_S: Record<ChannelKind, number> = {
  text: 10,
  call: 10,
  email: 30,
  push: 10,
  chat: 10,
  webhook: 10,
};

/**
 * How long an attempt may be under way before another worker takes it over, in seconds: its time limit plus a margin.
 */
export function leaseS(channel: ChannelKind): number {
  return ATTEMPT_TIMEOUT_S[channel] + 15;
}

/** An attempt among those of its message. */
export interface Attempt {
  /** Counted from 1. */
  nth: number;
  kind: DeliveryKind | 'notice';
  /** How long the message has been tried, in seconds: since it was planned, of a notice since its first attempt. */
  sinceS: number;
}

/**
 * Returns what follows an attempt. After a temporary fault a message is tried on, ever more slowly; after a permanent
 * one never again.
 */
export function afterAttempt(outcome: AttemptOutcome, attempt: Attempt): AfterAttempt {
  switch (outcome.kind) {
    case 'sent':
    case 'delivered':
      return {
        status: outcome.kind,
        providerRef: outcome.providerRef,
        units: outcome.units ?? 1,
        ...byWhom(outcome),
      };
    case 'put_off':
      return laterThan(outcome, 'not_tried', 'waits');
    case 'asked_to_wait':
      return laterThan(outcome, 'asked_to_wait', attempt.sinceS + outcome.afterS > WAITED_MOST_S ? 'goes' : 'waits');
    case 'kept':
      return { status: 'no_carrier', reason: outcome.reason, message: outcome.message };
    case 'permanent_fault':
      return { status: 'failed', ...saidOf(outcome), ...byWhom(outcome) };
    case 'obstacle':
      return { status: 'failed', reason: outcome.reason, counts: 'not_tried' };
    case 'temporary_fault':
      return afterPassingFault(outcome, attempt);
  }
}

function laterThan(
  { reason, afterS }: { reason: string; afterS: number },
  counts: 'not_tried' | 'asked_to_wait',
  nextChannel: 'goes' | 'waits',
): AfterAttempt {
  return { status: 'scheduled', retryAfterS: afterS, reason, counts, nextChannel };
}

function afterPassingFault(
  outcome: Extract<AttemptOutcome, { kind: 'temporary_fault' }>,
  { nth, kind, sinceS }: Attempt,
): AfterAttempt {
  const said = { ...saidOf(outcome), ...byWhom(outcome) };
  const retryAfterS = pauseS(nth);
  const isQuick = nth <= RETRY_AFTER_S.length;
  if (!isQuick && sinceS + retryAfterS > TRIED_ON_S[kind]) return { status: 'failed', ...said };
  return { status: 'scheduled', retryAfterS, nextChannel: nth >= FAILING_AFTER ? 'goes' : 'waits', ...said };
}

/** Tells whether a message goes on being tried though it is failing: the contact's next channel goes beside it. */
export function isFailing(after: AfterAttempt): boolean {
  return after.status === 'scheduled' && after.nextChannel === 'goes';
}

function saidOf({ reason, carrier }: { reason: string; carrier?: 'away' | 'cannot' }) {
  return { reason, counts: 'tried', ...(carrier === 'away' && { carrier }) } as const;
}

function byWhom(outcome: { carriedBy?: string; answered?: 'at_carrier' }) {
  const { carriedBy, answered } = outcome;
  return { ...(carriedBy !== undefined && { carriedBy }), ...(answered !== undefined && { answered }) };
}

/** Returns how long to wait after so many failed attempts, in seconds: 5, 15, 45, then double each time up to 900. */
function pauseS(failed: number): number {
  const last = RETRY_AFTER_S.length;
  return RETRY_AFTER_S[failed - 1] ?? Math.min(LONGEST_RETRY_S, RETRY_AFTER_S[last - 1]! * 2 ** (failed - last));
}
