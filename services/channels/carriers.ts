import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import { networks } from '../process/setting-kinds.ts';
import { type Environment, readSetting } from '../process/settings.ts';
import type { Carrier, MadeSetting, OwnSettings } from './carrier.ts';
import { mail } from './email/carrier.ts';
import { gateway } from './gateway/carrier.ts';
import { ntfy } from './ntfy/carrier.ts';
import { twilio } from './twilio/carrier.ts';
import { webhook } from './webhook/carrier.ts';

/**
 * All carriers. A carrier is one folder beside this file and one entry here; if two carry a channel, the first one is
 * used.
 */
const LISTED = [twilio, gateway, mail, ntfy, webhook] as const;

export const CARRIERS: readonly Carrier<string, unknown>[] = LISTED;

/** The carriers of a deployment. Null: not set up. */
export type CarrierSettings = OwnSettings & {
  [Listed in (typeof LISTED)[number] as Listed['name']]: ReturnType<Listed['read']>;
};

/** Reads the settings of carriers from the environment. Throws ConfigError. */
export function readCarriers(env: Environment): Omit<CarrierSettings, MadeSetting> {
  const read: Record<string, unknown> = Object.fromEntries(CARRIERS.map(one => [one.name, one.read(env)]));
  const outboundNetworks = readSetting(env, 'OUTBOUND_NETWORKS', networks, []);
  return { ...read, outboundNetworks } as unknown as Omit<CarrierSettings, MadeSetting>;
}

/** Returns which settings give each channel its carrier. Empty if it needs none. */
export function hints(): Record<ChannelKind, string> {
  const hintOf = (kind: ChannelKind) =>
    CARRIERS.filter(({ carries, hint }) => carries.includes(kind) && hint !== '').map(({ hint }) => hint);
  return Object.fromEntries(CHANNELS.map(kind => [kind, hintOf(kind).join(', or ')])) as Record<ChannelKind, string>;
}
