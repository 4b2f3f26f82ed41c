import type { Logger } from 'pino';
import type { ChannelKind } from '../domain/delivery.ts';
import type { Channel } from './channel.ts';
import { writePlainText } from './message.ts';

/** The setting that gives a channel its carrier. The others have none yet. */
const SETTINGS: Partial<Record<ChannelKind, string>> = { email: 'SMTP_URL' };

/**
 * Stands in for a channel that has no carrier (DECISIONS.md "Delivery"): the message is kept, nobody is reached, and
 * the outcome says so and what to set.
 */
export function createOutboxChannel(kind: ChannelKind, log: Logger): Channel {
  const setting = SETTINGS[kind];
  const todo = setting === undefined ? 'this version has none' : `set ${setting} to send it`;
  const reason = `no carrier is configured for ${kind}: ${todo}`;
  return {
    kind,
    async send(_address, alert) {
      log.warn(
        { channel: kind, delivery: alert.deliveryId, incident: alert.incidentId },
        `kept in the outbox: ${reason}`,
      );
      return { kind: 'kept', reason, message: writePlainText(alert) };
    },
    async close() {},
  };
}
