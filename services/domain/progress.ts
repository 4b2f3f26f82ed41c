import { afterAttempt, type DeliveryKind, type DeliveryStatus } from './delivery.ts';

/** What a carrier reports about a message that it accepted. `reason` in words. */
export type CarrierReport = { kind: 'arrived' } | { kind: 'fault'; lasts: 'temporary' | 'permanent'; reason: string };

/**
 * What a report is about: the attempt the carrier was given, and the carrier's own id of the message; null if it has
 * none.
 */
export interface ReportedAttempt {
  attempt: number;
  providerRef: string | null;
}

/** A delivery at the moment a carrier reports on it. */
export interface Progressing {
  status: DeliveryStatus;
  /** The carrier's id of the message recorded last; null if there is none. */
  providerRef: string | null;
  /** The number of the last lease, and how many attempts were recorded. */
  attempt: number;
  tries: number;
  kind: DeliveryKind;
  /** Milliseconds since 1970. */
  plannedAt: number;
  now: number;
  /** `over`: nobody waits for this message any more. */
  incident: 'waited_for' | 'over';
}

/**
 * What follows a report. `retryAfterS` counts from now. `nothing`: it was reported before (`replayed`), it is about an
 * attempt superseded by another (`stale_attempt`), or it would move the message back (`settled`).
 */
export type AfterNews =
  | { kind: 'delivered' }
  | { kind: 'retry'; retryAfterS: number; reason: string; nextChannel: 'goes' | 'waits' }
  | { kind: 'failed'; reason: string }
  | { kind: 'cancelled'; reason: string }
  | { kind: 'nothing'; because: 'replayed' | 'stale_attempt' | 'settled' };

/**
 * Decides what a carrier's later report changes (DECISIONS.md "Delivery"): a message only moves forward, and only by a
 * report on its last attempt, or on an earlier one that the last one took over. A report may arrive before our own
 * record of the send (`sending`), and after a send whose response was lost (`scheduled` again): what the carrier knows
 * counts then.
 */
export function afterNews(news: CarrierReport, told: ReportedAttempt, delivery: Progressing): AfterNews {
  const { status } = delivery;
  if (told.attempt !== delivery.attempt && !isTakenOver(told, delivery))
    return { kind: 'nothing', because: 'stale_attempt' };
  switch (status) {
    case 'sending':
    case 'sent':
      return news.kind === 'arrived' ? { kind: 'delivered' } : afterFault(news, delivery);
    case 'scheduled':
      if (news.kind === 'arrived') return { kind: 'delivered' };
      return news.lasts === 'permanent' ? afterFault(news, delivery) : { kind: 'nothing', because: 'replayed' };
    case 'delivered':
      return { kind: 'nothing', because: news.kind === 'arrived' ? 'replayed' : 'settled' };
    case 'failed':
      return { kind: 'nothing', because: news.kind === 'fault' ? 'replayed' : 'settled' };
    case 'cancelled':
    case 'no_carrier':
    case 'suppressed':
      return { kind: 'nothing', because: 'settled' };
  }
}

/**
 * Tells whether the last attempt found an earlier attempt's message at its carrier and left it at that: the carrier
 * keeps reporting on the earlier one. While an attempt is under way, the recorded reference belongs to one before it.
 */
function isTakenOver({ attempt, providerRef }: ReportedAttempt, delivery: Progressing): boolean {
  if (attempt > delivery.attempt || delivery.status === 'sending') return false;
  return providerRef !== null && providerRef === delivery.providerRef;
}

function afterFault(
  { lasts, reason }: Extract<CarrierReport, { kind: 'fault' }>,
  { status, tries, kind, plannedAt, now, incident }: Progressing,
): AfterNews {
  const fault = lasts === 'permanent' ? 'permanent_fault' : 'temporary_fault';
  // The attempt being recorded right now counts as well.
  const nth = status === 'sending' ? tries + 1 : tries;
  const after = afterAttempt({ kind: fault, reason }, { nth, kind, sinceS: (now - plannedAt) / 1000 });
  if (after.status !== 'scheduled') return { kind: 'failed', reason };
  if (incident === 'over') return { kind: 'cancelled', reason };
  return { kind: 'retry', retryAfterS: after.retryAfterS, reason, nextChannel: after.nextChannel };
}
