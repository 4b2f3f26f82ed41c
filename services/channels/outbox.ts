import type { Logger } from 'pino';
import type { Alert, MemberMail } from '../domain/alert.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { AT_ONCE } from '../domain/turns.ts';
import type { Channel } from './channel.ts';
import { writePlainText } from './message.ts';

const PHONE = 'TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM, or GATEWAY_URL and GATEWAY_SECRET,';

/** What to set so that a channel gets its carrier. Webhooks need none. */
const SETTINGS: Record<ChannelKind, string> = {
  text: PHONE,
  call: PHONE,
  email: 'SMTP_URL',
  push: 'NTFY_URL',
  webhook: 'nothing: webhooks need no carrier',
};

/**
 * Stands in for a channel that has no carrier (DECISIONS.md "Delivery"): the message is kept, nobody is reached, and
 * the outcome says so and what to set.
 */
export function createOutboxChannel(kind: ChannelKind, log: Logger): Channel {
  const reason = `no carrier is configured for ${kind}: set ${SETTINGS[kind]} to send it`;
  return {
    kind,
    atOnce: AT_ONCE[kind],
    async send(_address, alert: Alert | MemberMail) {
      const incident = 'incidentId' in alert && alert.incidentId !== '' ? { incident: alert.incidentId } : {};
      log.warn({ channel: kind, delivery: alert.deliveryId, ...incident }, `kept in the outbox: ${reason}`);
      return { kind: 'kept', reason, message: writePlainText(alert) };
    },
    async close() {},
  };
}
