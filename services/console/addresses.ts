import { z } from 'zod';
import type { ChannelKind } from '../domain/delivery.ts';
import { shown } from './fields.ts';

/** What an email address is, of a contact and of an owner. */
export const emailAddress = {
  takes: 'an email address such as someone@example.com',
  schema: z.email({ pattern: z.regexes.html5Email }).max(254),
};

/** What the address of each channel is (DECISIONS.md "Contact"). Checked by shape only: a drill shows whether it works. */
const ADDRESSES: Record<ChannelKind, { takes: string; schema: z.ZodType<string, string> }> = {
  text: phone(),
  call: phone(),
  email: emailAddress,
  push: {
    takes: 'a topic of letters, digits, hyphens and underscores, or the https URL of a topic',
    schema: z.union([z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), httpsUrl()]),
  },
  webhook: { takes: 'an https URL, at most 500 characters', schema: httpsUrl() },
};

function phone() {
  return {
    takes: 'a phone number in E.164, such as +12025550111: a plus sign and 8 to 15 digits, no blanks',
    schema: z.string().regex(/^\+[1-9][0-9]{7,14}$/),
  };
}

function httpsUrl() {
  return z
    .url({ protocol: /^https$/, hostname: /./ })
    .regex(/^https:\/\/[!-~]+$/)
    .max(500);
}

/** Adds an issue when the address does not fit its channel. The sentence shows phone numbers and mail addresses, no URLs. */
export function channelAddress(
  { channel, address }: { channel: ChannelKind; address: string },
  context: z.core.$RefinementCtx<unknown>,
): void {
  const { takes, schema } = ADDRESSES[channel];
  if (schema.safeParse(address.trim()).success) return;
  // A URL may hold the secret that opens it.
  const got = /^\w+:\/\//.test(address) ? 'another URL' : shown(address);
  context.addIssue({ code: 'custom', message: `takes ${takes}, got ${got}.`, path: ['address'] });
}
