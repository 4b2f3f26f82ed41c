import type { z } from 'zod';
import type { ChannelKind } from '../domain/delivery.ts';
import { mismatch, shown } from '../process/text.ts';
import { ADDRESSES } from '../process/vocabulary.ts';

/** Adds an issue when the address does not fit its channel. The sentence shows phone numbers and mail addresses, no URLs. */
export function channelAddress(
  { channel, address }: { channel: ChannelKind; address: string },
  context: z.core.$RefinementCtx<unknown>,
): void {
  const { takes, fits } = ADDRESSES[channel];
  if (fits(address.trim())) return;
  // A URL may hold the secret that opens it.
  const got = /^\w+:\/\//.test(address) ? 'another URL' : shown(address);
  context.addIssue({ code: 'custom', message: mismatch(takes, got), path: ['address'] });
}
