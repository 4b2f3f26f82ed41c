import { onTestFinished } from 'vitest';
import { createTwilioChannel } from '../../services/channels/twilio/send.ts';
import { logInto } from '../support/log.ts';
import { startTwilio } from '../support/twilio.ts';

export const ANNA = '+4366012345678';

export async function rig() {
  const twilio = await startTwilio();
  const lines: string[] = [];
  const log = logInto(lines);
  const { settings } = twilio;
  const timeouts = { attempt: 400, lookUp: 200 };
  const text = createTwilioChannel({ kind: 'text', settings, log, timeouts });
  const call = createTwilioChannel({ kind: 'call', settings, log, timeouts });
  onTestFinished(() => twilio.stop());
  const taken = (kind: 'text' | 'call') => (kind === 'text' ? twilio.messages : twilio.calls);
  return { twilio, text, call, lines, taken };
}
