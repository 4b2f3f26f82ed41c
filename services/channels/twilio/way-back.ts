import type { Alert, WayBack } from '../../domain/alert.ts';

/**
 * Where the carrier reaches this deployment about a message; null: nowhere. A message that nobody can answer has no such
 * place, and `localhost` is the carrier's own machine to it: it refuses a request that names it.
 */
export function callbacksOf(alert: Alert): WayBack | null {
  const wayBack = 'wayBack' in alert ? alert.wayBack : null;
  return wayBack === null || new URL(wayBack.carrierUrl).hostname === 'localhost' ? null : wayBack;
}

/** The URL of one of the topics of channel.ts `CarrierRequest`. */
export function callbackUrl({ carrierUrl, reference }: WayBack, topic: 'status' | 'voice' | 'key'): string {
  return `${carrierUrl}/twilio/${topic}/${reference}`;
}
