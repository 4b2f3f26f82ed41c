import { z } from 'zod';
import { natsUrl as nats } from '../../services/changes/nats-url.ts';
import { token } from '../../services/process/setting-kinds.ts';
import { ConfigError, type Environment, type Kind, readSetting } from '../../services/process/settings.ts';

/** The further settings of a facade that runs apart. */
export interface ApartConfig {
  /** The processes of the services, at least one. */
  rpcUrls: string[];
  /** The servers of the bus, as readNatsServers takes them. */
  natsUrl: string;
  /** The token for the services; null: they need none. */
  serviceToken: string | null;
}

/** Reads these settings. Throws ConfigError for an unusable one, and without NATS_URL: the facade would hear of no change. */
export function readApartConfig(env: Environment): ApartConfig {
  const natsUrl = readSetting(env, 'NATS_URL', nats, null);
  if (natsUrl === null) {
    throw new ConfigError(`NATS_URL takes ${nats.takes}, got nothing, and is required where the facade runs apart.`);
  }
  return {
    rpcUrls: readSetting(env, 'RPC_URL', rpcUrls, ['http://127.0.0.1:8081']),
    natsUrl,
    serviceToken: readSetting(env, 'SERVICE_TOKEN', token, null),
  };
}

const rpcUrls: Kind<string[]> = {
  takes: 'one or more http or https URLs without path, separated by commas, such as http://10.0.0.5:8081',
  schema: z
    .string()
    .transform(text => [...new Set(text.split(',').map(part => part.trim().replace(/\/$/, '')))])
    .pipe(z.array(z.url({ protocol: /^https?$/, hostname: /./ }).regex(/^https?:\/\/[^@?#/]+$/))),
  shown: 'url',
};
