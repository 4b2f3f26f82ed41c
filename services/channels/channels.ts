import type { Logger } from 'pino';
import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import { createAsking } from './ask.ts';
import type { CarrierSettings } from './carrier-settings.ts';
import type { CarrierDoor, Channel, ReturnedMailbox } from './channel.ts';
import { createEmailChannel } from './email.ts';
import { createGatewayChannel } from './gateway.ts';
import { createGatewayDoor } from './gateway-door.ts';
import { createMailReferences, type MailReferences } from './mail-reference.ts';
import { createNtfyChannel } from './ntfy.ts';
import { createOutboxChannel } from './outbox.ts';
import { createReturnedMailbox } from './returned-mailbox.ts';
import { createTwilioDoor } from './twilio/door.ts';
import { createTwilioChannel } from './twilio/twilio.ts';
import { createWebhookChannel } from './webhook.ts';

export interface Channels {
  byKind: Record<ChannelKind, Channel>;
  /** The kinds without a carrier: what is sent over them ends in the outbox. Webhooks need none. */
  unconfigured: ChannelKind[];
  /** How the requests of each carrier are read, by its word in the path. Those that are not set up are absent. */
  doors: ReadonlyMap<string, CarrierDoor>;
  /** Where mail comes back that could not be delivered; null: nobody reads it. */
  returned: ReturnedMailbox | null;
  /** Asks all carriers whether they would take messages. */
  ask: ReturnType<typeof createAsking>;
  /** Ends all connections. Twice is fine. */
  close(): Promise<void>;
}

/** Opens one channel of each kind: the real one where its carrier is configured, else the outbox. */
export function createChannels(settings: CarrierSettings, log: Logger): Channels {
  const references = createMailReferences(settings.mailSecret);
  const carried = carriedBy(settings, references, log);
  const { bounceImap } = settings.mail;
  const returned = bounceImap === null ? null : createReturnedMailbox({ url: bounceImap, references, log });
  const byKind = Object.fromEntries(
    CHANNELS.map(kind => [kind, carried[kind] ?? createOutboxChannel(kind, log)]),
  ) as Record<ChannelKind, Channel>;
  return {
    byKind,
    unconfigured: CHANNELS.filter(kind => carried[kind] === undefined),
    ask: createAsking(byKind),
    doors: doorsOf(settings),
    returned,
    async close() {
      await Promise.all([...Object.values(byKind), returned].map(opened => opened?.close()));
    },
  };
}

function carriedBy(
  settings: CarrierSettings,
  references: MailReferences,
  log: Logger,
): Partial<Record<ChannelKind, Channel>> {
  const { mail, ntfy, webhookSecret: secretOf, outboundNetworks } = settings;
  return {
    ...phone(settings, log),
    ...(mail.smtpUrl === null ? {} : { email: createEmailChannel({ ...mail, url: mail.smtpUrl, references, log }) }),
    ...(ntfy === null ? {} : { push: createNtfyChannel({ settings: ntfy, outboundNetworks, log }) }),
    webhook: createWebhookChannel({ secretOf, outboundNetworks, log }),
  };
}

function phone({ twilio, gateway }: CarrierSettings, log: Logger): Partial<Record<ChannelKind, Channel>> {
  if (twilio !== null) {
    const on = { settings: twilio, log };
    return { text: createTwilioChannel({ kind: 'text', ...on }), call: createTwilioChannel({ kind: 'call', ...on }) };
  }
  if (gateway === null) return {};
  const on = { settings: gateway, log };
  return { text: createGatewayChannel({ kind: 'text', ...on }), call: createGatewayChannel({ kind: 'call', ...on }) };
}

/** A gateway that is not used any more may still tell what became of what it took before. */
function doorsOf({ twilio, gateway }: CarrierSettings): Map<string, CarrierDoor> {
  const doors = new Map<string, CarrierDoor>();
  if (twilio !== null) doors.set('twilio', createTwilioDoor(twilio));
  if (gateway !== null) doors.set('gateway', createGatewayDoor(gateway));
  return doors;
}
