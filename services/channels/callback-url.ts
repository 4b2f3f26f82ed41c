import type { WayBack } from '../domain/alert.ts';

/** Returns the callback URL of a carrier for a topic (channel.ts `CarrierRequest`). */
export function callbackUrl(
  carrier: string,
  { carrierUrl, reference }: WayBack,
  topic: 'status' | 'voice' | 'key',
): string {
  return `${carrierUrl}/${carrier}/${topic}/${reference}`;
}
