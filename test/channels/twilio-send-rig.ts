import { onTestFinished } from 'vitest';
import { createTwilioChannel } from '../../services/channels/twilio/send.ts';
import { logInto } from '../support/log.ts';
import { startTwilio } from '../support/twilio.ts';

export const ANNA = '+4366012345678';

/** `lookUp`: how long the carrier may take for one, in milliseconds; an attempt has 400 in all. */
export async function rig({ lookUp = 200 } = {}) {
  const twilio = await startTwilio();
  const lines: string[] = [];
  const log = logInto(lines);
  const { settings } = twilio;
  const timeouts = { attempt: 400, lookUp };
  const text = createTwilioChannel({ kind: 'text', settings, log, timeouts });
  const call = createTwilioChannel({ kind: 'call', settings, log, timeouts });
  onTestFinished(() => twilio.stop());
  const taken = (kind: 'text' | 'call') => (kind === 'text' ? twilio.messages : twilio.calls);
  return { twilio, text, call, lines, taken };
}
