import { z } from 'zod';
import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import { networks } from '../process/setting-kinds.ts';
import { type Environment, type Kind, readSetting } from '../process/settings.ts';
import { apprise } from './apprise/carrier.ts';
import type { Carrier, MadeSetting, OwnSettings } from './carrier.ts';
import { mail, mail2 } from './email/carrier.ts';
import { gateway } from './gateway/carrier.ts';
import { ntfy } from './ntfy/carrier.ts';
import { pushover } from './pushover/carrier.ts';
import { signal } from './signal/carrier.ts';
import { telegram } from './telegram/carrier.ts';
import { telnyx } from './telnyx/carrier.ts';
import { twilio } from './twilio/carrier.ts';
import { whatsApp } from './twilio/whatsapp-carrier.ts';
import { webPush } from './web-push/carrier.ts';
import { webhook } from './webhook/carrier.ts';

/**
 * All carriers. A carrier is one folder beside this file and one entry here; if two carry a channel, the first one is
 * used, unless `CARRIERS_<CHANNEL>` says which stand by for each other.
 */
const LISTED = [
  twilio,
  gateway,
  telnyx,
  whatsApp,
  mail,
  mail2,
  ntfy,
  pushover,
  webPush,
  telegram,
  signal,
  apprise,
  webhook,
] as const;

/** The channels that several carriers may carry: their addresses belong to none. */
const ORDERED = ['text', 'call', 'email'] as const satisfies ChannelKind[];

export const CARRIERS: readonly Carrier<string, unknown>[] = LISTED;

/** The carriers of a deployment. Null: not set up. */
export type CarrierSettings = OwnSettings & {
  /** CARRIERS_TEXT, CARRIERS_CALL, CARRIERS_EMAIL: names of carriers, in the order in which they are asked. Absent: the first one set up. */
  order?: Partial<Record<ChannelKind, string[]>>;
} & {
  [Listed in (typeof LISTED)[number] as Listed['name']]: ReturnType<Listed['read']>;
};

/** Reads the settings of carriers from the environment. Throws ConfigError. */
export function readCarriers(env: Environment): Omit<CarrierSettings, MadeSetting> {
  const read: Record<string, unknown> = Object.fromEntries(CARRIERS.map(one => [one.name, one.read(env)]));
  const outboundNetworks = readSetting(env, 'OUTBOUND_NETWORKS', networks, []);
  const order = Object.fromEntries(
    ORDERED.flatMap(channel => {
      const named = readSetting(env, orderSetting(channel), orderOf(channel), null);
      return named === null ? [] : [[channel, named]];
    }),
  );
  return { ...read, outboundNetworks, order } as unknown as Omit<CarrierSettings, MadeSetting>;
}

/** Returns the part of the environment that sets up carriers, of which `read` makes their settings. */
export function carrierEnvironment(env: Environment): Environment {
  const names = CARRIERS.flatMap(({ settings }) => settings.flatMap(({ name }) => [name, `${name}_FILE`]));
  return Object.fromEntries(names.flatMap(name => (env[name] ? [[name, env[name]]] : [])));
}

/** Returns the setting that orders the carriers of a channel: `CARRIERS_TEXT`. */
export function orderSetting(channel: ChannelKind): string {
  return `CARRIERS_${channel.toUpperCase()}`;
}

function orderOf(channel: ChannelKind): Kind<string[]> {
  const names = CARRIERS.filter(({ carries }) => carries.includes(channel)).map(({ name }) => name);
  return {
    takes: `carriers separated by commas, each once, in the order in which they are asked, of ${names.join(', ')}`,
    schema: z
      .string()
      .transform(text => text.split(',').map(name => name.trim()))
      .refine(named => new Set(named).size === named.length && named.every(name => names.includes(name))),
    shown: 'value',
  };
}

/** Returns which settings give each channel its carrier. Empty if it needs none. */
export function hints(): Record<ChannelKind, string> {
  const hintOf = (kind: ChannelKind) =>
    CARRIERS.filter(one => one.carries.includes(kind) && one.hint !== '' && !one.inOrderOnly).map(({ hint }) => hint);
  return Object.fromEntries(CHANNELS.map(kind => [kind, hintOf(kind).join(', or ')])) as Record<ChannelKind, string>;
}
