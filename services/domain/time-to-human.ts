import type { DeliveryKind } from './alert.ts';
import type { DeliveryStatus } from './delivery.ts';

/** The parts of a message that count here. Times are milliseconds since 1970. */
export interface TimedMessage {
  kind: DeliveryKind;
  status: DeliveryStatus;
  firstAttemptAt: number | null;
  sentAt: number | null;
  deliveredAt: number | null;
}

/** The moments between a call and a person; null: not yet. Milliseconds since 1970. */
export interface TimeToHuman {
  acceptedAt: number;
  appliedAt: number;
  firstAttemptAt: number | null;
  firstSentAt: number | null;
  firstDeliveredAt: number | null;
  acknowledgedAt: number | null;
}

/**
 * Computes how long it took to reach a person. Only alerts count: news of an acknowledgement goes out after a person
 * was reached. Messages without a carrier do not count either.
 */
export function timeToHuman(
  incident: { openedAt: number; appliedAt: number; acknowledgedAt: number | null },
  messages: readonly TimedMessage[],
): TimeToHuman {
  const alerts = messages.filter(({ kind, status }) => kind === 'alert' && status !== 'no_carrier');
  return {
    acceptedAt: incident.openedAt,
    appliedAt: incident.appliedAt,
    firstAttemptAt: earliest(alerts.map(({ firstAttemptAt }) => firstAttemptAt)),
    firstSentAt: earliest(alerts.map(({ sentAt }) => sentAt)),
    firstDeliveredAt: earliest(alerts.map(({ deliveredAt }) => deliveredAt)),
    acknowledgedAt: incident.acknowledgedAt,
  };
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter(time => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
