import type { Logger } from 'pino';
import type { ChannelKind } from '../domain/delivery.ts';
import { ConfigError, type Environment } from '../process/settings.ts';
import type { CarrierCallback, Channel, ReturnedMailbox } from './channel.ts';

/** A way out of the house: one folder, listed in carriers.ts. `Settings`: what it is set up with. */
export interface Carrier<Name extends string, Settings> {
  /** What its settings are called by, and its callbacks in the path (`/carrier/<name>/…`). */
  name: Name;
  /** The channels that it can carry. */
  carries: readonly ChannelKind[];
  /** Which settings set it up, in words, for who has no carrier or one that fails. Empty: it needs none. */
  hint: string;
  /** Reads its settings; null: it is not set up. Throws ConfigError. */
  read(env: Environment): Settings | null;
  /** Opens one of the channels that it carries; null: it is set up, but not for this. */
  open(kind: ChannelKind, settings: Settings, on: CarrierOn): Channel | null;
  /** How its own requests are read and answered. Absent: it makes none. */
  callback?(settings: Settings): CarrierCallback;
  /** Opens the mailbox in which mail comes back that could not be delivered; null: nobody reads it. Absent: it has none. */
  returned?(settings: Settings, on: CarrierOn): ReturnedMailbox | null;
}

/** What carriers are opened with besides. */
export interface CarrierOn extends OwnSettings {
  log: Logger;
}

/** What is set for all carriers alike, or made of DATA_KEY and not set from outside. */
export interface OwnSettings extends Record<MadeSetting, unknown> {
  /** Under what webhooks of an account are signed: `whsec_…` (Standard Webhooks). */
  webhookSecret: (accountId: string) => string;
  /** Under what our mails are signed, so that reports about them can be told from others. */
  mailSecret: string;
  /** OUTBOUND_NETWORKS: private addresses (CIDR) that URLs of owners may lead to all the same, by http too. */
  outboundNetworks: readonly string[];
}

/** What is made of DATA_KEY and not set from outside. */
export type MadeSetting = 'webhookSecret' | 'mailSecret';

/** Refuses a carrier that is half set up: it would fail at night, at the first alert. Throws ConfigError; else returns null. */
export function allOrNone(parts: Record<string, string | null>): null {
  const missing = Object.keys(parts).filter(name => parts[name] === null);
  if (missing.length === Object.keys(parts).length) return null;
  const others = Object.keys(parts).filter(name => parts[name] !== null);
  const verb = (names: readonly string[]) => (names.length === 1 ? 'is' : 'are');
  const [lacks, has] = [missing.join(' and '), others.join(' and ')];
  throw new ConfigError(`${lacks} ${verb(missing)} missing: ${has} ${verb(others)} set. Set all of them or none.`);
}
