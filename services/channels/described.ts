import type { Alert } from '../domain/alert.ts';
import type { AttemptOutcome, ChannelKind } from '../domain/delivery.ts';
import type { Asked } from './channel.ts';

/** What people read who set up a carrier, in each language. */
export type Said = Readonly<Record<'en' | 'de', string>>;

/** A setting of a carrier: a field of its form in the console, and a variable of the environment. */
export interface CarrierSetting {
  name: string;
  /** `rare`: few need it, so that it stands apart. */
  asked: 'needed' | 'optional' | 'rare';
  /**
   * `secret`: never shown again. `mail_server`: a URL, typed as host, port, user and password, and shown again without the
   * password.
   */
  holds: 'text' | 'secret' | 'mail_server';
  /** Secrets are sent where it leads: whoever changes it has to know them. */
  leads?: 'elsewhere';
  label: Said;
  /** Where one finds it, or what it is for. */
  hint: Said;
}

/** A provider whose mail server is known. */
export interface Preset {
  name: string;
  host: string;
  port: number;
  /** What one has to know of its passwords and names. */
  note: Said;
}

/** What there is to know of a carrier before it is set up. */
export interface DescribedCarrier {
  /** The name of its settings, and of its callbacks in the path (`/carrier/<name>/…`). */
  name: string;
  /** How it is called where people set it up. */
  title: Said;
  /** What it is, and what one needs for it: a sentence or two. */
  about: Said;
  /** Its settings, in the order in which they are asked for; empty: there is nothing to set up. */
  settings: readonly CarrierSetting[];
  /** Providers whose settings are known, to choose from; absent: none. */
  presets?: readonly Preset[];
  /** The channels that it can carry. */
  carries: readonly ChannelKind[];
}

/** Values of settings by name, as they would stand in the environment. */
export type SettingValues = Readonly<Record<string, string>>;

/** What is stored for a carrier. */
export interface StoredCarrier {
  name: string;
  /** Null: it cannot be opened. */
  values: SettingValues | null;
}

/** What the settings of a carrier come to. */
export type Judged = { verdict: 'fits' } | { verdict: 'refused'; problem: string };

/** How the carriers of a deployment are set up: in the environment, and by its operator. */
export interface CarriersSetUp {
  /** All carriers for which there is something to set up. */
  described: readonly DescribedCarrier[];
  /** `refused`: the environment alone sets up carriers (CONSOLE_CARRIERS), and what is stored counts for nothing. */
  taken: 'taken' | 'refused';
  /** Returns the settings of a carrier that stand in the environment, by name; null: a file holds it. Where there are any, those count alone. */
  inEnvironment(name: string): Readonly<Record<string, string | null>>;
  /** Returns why what is stored for a carrier is left out, in words; null: it is not. */
  leftOut(name: string): string | null;
  /** Tells whether a carrier carries something now. */
  isInUse(name: string): boolean;
  /** Returns the setting of the environment that names a carrier in its order (`CARRIERS_TEXT`); null: none does. */
  orderedBy(name: string): string | null;
  /** Tells whether a carrier can be set up so, beside all that is set up now. */
  judge(name: string, values: SettingValues): Judged;
  /**
   * Asks a carrier whether it would accept messages, within a time limit in milliseconds: with values that fit, or as it is set up now
   * (null).
   */
  ask(name: string, values: SettingValues | null, limitMs: number): Promise<Asked>;
  /** Sends one message through a carrier as it is set up now; null where it is not, or does not carry the channel. */
  send(name: string, message: { kind: ChannelKind; to: string; alert: Alert }): Promise<AttemptOutcome | null>;
}
