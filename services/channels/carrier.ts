import type { Logger } from 'pino';
import type { ChannelKind } from '../domain/delivery.ts';
import { ConfigError, type Environment } from '../process/settings.ts';
import type { AnswersThere, Bot, CarrierCallback, Channel, ReturnedMailbox } from './channel.ts';
import type { DescribedCarrier } from './described.ts';
import type { Devices } from './devices.ts';

/** A provider that carries messages: one folder, listed in carriers.ts. `Settings`: how it is set up. */
export interface Carrier<Name extends string, Settings> extends DescribedCarrier {
  name: Name;
  /**
   * Which settings set it up, in words, for a deployment without a carrier or with one that fails. Empty if it needs
   * none.
   */
  hint: string;
  /** It is used only where CARRIERS_<CHANNEL> names it. */
  inOrderOnly?: true;
  /**
   * What its addresses begin with, where they are its own: it carries those alone, beside whichever carrier carries the others. Absent: it
   * carries all that belong to none.
   */
  prefix?: string;
  /** Reads its settings; null if it is not set up. Throws ConfigError. */
  read(env: Environment): Settings | null;
  /** Opens one of the channels that it carries; null if it is set up, but not for this one. */
  open(kind: ChannelKind, settings: Settings, deps: CarrierOn): Channel | null;
  /** Returns how its own requests are read and answered. Absent if it makes none. */
  callback?(settings: Settings): CarrierCallback;
  /** Returns how it is asked for what people answer in its own app. Absent: they do not. */
  answersThere?(settings: Settings, deps: CarrierOn): AnswersThere;
  /** Returns its bot, to which people speak. Absent if it has none. */
  bot?(settings: Settings, deps: CarrierOn): Bot;
  /** Opens the mailbox for returned mail; null if nobody reads it. Absent if it has none. */
  returned?(settings: Settings, deps: CarrierOn): ReturnedMailbox | null;
}

/** What carriers need besides their settings. */
export interface CarrierOn extends OwnSettings {
  log: Logger;
}

/** Settings shared by all carriers, or derived from DATA_KEY. */
export interface OwnSettings extends Record<MadeSetting, unknown> {
  /** Returns the secret that signs the webhooks of an account: `whsec_…` (Standard Webhooks). */
  webhookSecret: (accountId: string) => string;
  /** The secret that signs our mails, so that reports about them can be recognised. */
  mailSecret: string;
  /** The same from DATA_KEY_ALSO, while the key is being changed; absent: it is not. */
  webhookSecretAlso?: (accountId: string) => string;
  mailSecretAlso?: string;
  /** The browsers that ring for people; absent: nobody keeps any, and web push carries nothing. */
  devices?: Devices;
  /** OUTBOUND_NETWORKS: private addresses (CIDR) that owners' URLs may lead to nevertheless, by http too. */
  outboundNetworks: readonly string[];
}

/** The settings derived from DATA_KEY. */
export type MadeSetting = 'webhookSecret' | 'mailSecret';

/**
 * Refuses a carrier that is half set up: it would fail at night, at the first alert. Throws ConfigError; otherwise
 * returns null.
 */
export function allOrNone(parts: Record<string, string | null>): null {
  const missing = Object.keys(parts).filter(name => parts[name] === null);
  if (missing.length === Object.keys(parts).length) return null;
  const others = Object.keys(parts).filter(name => parts[name] !== null);
  const verb = (names: readonly string[]) => (names.length === 1 ? 'is' : 'are');
  const [lacks, has] = [missing.join(' and '), others.join(' and ')];
  throw new ConfigError(`${lacks} ${verb(missing)} missing: ${has} ${verb(others)} set. Set all of them or none.`);
}
