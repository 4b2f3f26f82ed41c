import type { Logger } from 'pino';
import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import type { Channel } from './channel.ts';
import { createEmailChannel } from './email.ts';
import { createOutboxChannel } from './outbox.ts';

export interface Channels {
  byKind: Record<ChannelKind, Channel>;
  /** The kinds without a carrier: what is sent over them ends in the outbox. */
  unconfigured: ChannelKind[];
  /** Ends all connections. Twice is fine. */
  close(): Promise<void>;
}

/** Opens one channel of each kind: the real one where its carrier is configured (DESIGN.md 4), else the outbox. */
export function createChannels(on: {
  /** SMTP_URL; null: none. */
  smtpUrl: string | null;
  /** MAIL_FROM: `address` or `Name <address>`. */
  mailFrom: string;
  log: Logger;
}): Channels {
  const { smtpUrl, mailFrom: from, log } = on;
  const carried: Partial<Record<ChannelKind, Channel>> = {};
  if (smtpUrl !== null) carried.email = createEmailChannel({ url: smtpUrl, from, log });

  const byKind = Object.fromEntries(
    CHANNELS.map(kind => [kind, carried[kind] ?? createOutboxChannel(kind, log)]),
  ) as Record<ChannelKind, Channel>;
  return {
    byKind,
    unconfigured: CHANNELS.filter(kind => carried[kind] === undefined),
    async close() {
      await Promise.all(Object.values(byKind).map(channel => channel.close()));
    },
  };
}
