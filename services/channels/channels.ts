import type { Logger } from 'pino';
import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import type { CarrierDoor, Channel } from './channel.ts';
import { createEmailChannel } from './email.ts';
import { createOutboxChannel } from './outbox.ts';
import { createTwilioDoor } from './twilio/door.ts';
import { createTwilioChannel } from './twilio/twilio.ts';

/** Which carriers a deployment has (DESIGN.md 4). Null: none of this kind. */
export interface CarrierSettings {
  mail: {
    /** SMTP_URL. */
    smtpUrl: string | null;
    /** MAIL_FROM: `address` or `Name <address>`. */
    from: string;
    /** MAIL_BOUNCE: where servers send back what they cannot deliver; null: to `from`. */
    bounce: string | null;
  };
  /** Texts and calls. */
  twilio: TwilioSettings | null;
  /** Texts and calls through a gateway of one's own. With `twilio` set it is not used. */
  gateway: GatewaySettings | null;
  /** Push messages. */
  ntfy: NtfySettings | null;
  /** Under what webhooks of an account are signed: `whsec_…` (Standard Webhooks). */
  webhookSecret: (accountId: string) => string;
  /** OUTBOUND_NETWORKS: private addresses (CIDR) that URLs of owners may lead to all the same, by http too. */
  outboundNetworks: readonly string[];
}

export interface TwilioSettings {
  /** TWILIO_ACCOUNT_SID: `AC` and 32 hexadecimal digits. */
  accountSid: string;
  /** TWILIO_AUTH_TOKEN. */
  authToken: string;
  /** TWILIO_FROM: a number in E.164. */
  from: string;
  /** TWILIO_API_URL, without trailing slash. */
  apiUrl: string;
}

export interface GatewaySettings {
  /** GATEWAY_URL: takes every text and call as a signed POST. */
  url: string;
  /** GATEWAY_SECRET: `whsec_…`. */
  secret: string;
}

export interface NtfySettings {
  /** NTFY_URL: the server on which topics live, without trailing slash. */
  url: string;
  /** NTFY_TOKEN: null: none is needed. */
  token: string | null;
}

export interface Channels {
  byKind: Record<ChannelKind, Channel>;
  /** The kinds without a carrier: what is sent over them ends in the outbox. */
  unconfigured: ChannelKind[];
  /** How the requests of each carrier are read, by its word in the path. Those that are not set up are absent. */
  doors: ReadonlyMap<string, CarrierDoor>;
  /** Ends all connections. Twice is fine. */
  close(): Promise<void>;
}

/** Opens one channel of each kind: the real one where its carrier is configured (DESIGN.md 4), else the outbox. */
export function createChannels(settings: CarrierSettings, log: Logger): Channels {
  const { mail, twilio } = settings;
  const carried: Partial<Record<ChannelKind, Channel>> = {};
  const doors = new Map<string, CarrierDoor>();
  if (mail.smtpUrl !== null) carried.email = createEmailChannel({ ...mail, url: mail.smtpUrl, log });
  if (twilio !== null) {
    carried.text = createTwilioChannel({ kind: 'text', settings: twilio, log });
    carried.call = createTwilioChannel({ kind: 'call', settings: twilio, log });
    doors.set('twilio', createTwilioDoor(twilio));
  }

  const byKind = Object.fromEntries(
    CHANNELS.map(kind => [kind, carried[kind] ?? createOutboxChannel(kind, log)]),
  ) as Record<ChannelKind, Channel>;
  return {
    byKind,
    unconfigured: CHANNELS.filter(kind => carried[kind] === undefined),
    doors,
    async close() {
      await Promise.all(Object.values(byKind).map(channel => channel.close()));
    },
  };
}
