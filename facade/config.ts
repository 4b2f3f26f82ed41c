import { z } from 'zod';
import { type Environment, host, type Kind, type LogLevel, logLevel, port, readSetting, webUrl } from './settings.ts';

/** What the facade is told from outside (DESIGN.md 4). Tests build it by hand. */
export interface Config {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Where people and devices reach the facade, without trailing slash; null: see publicUrlAt. */
  publicUrl: string | null;
  /** Addresses and networks (CIDR) whose X-Forwarded-* headers are believed; empty: nobody's. */
  trustedProxies: string[];
  logLevel: LogLevel;
}

/** The only reader of the environment under facade/. Throws ConfigError for a setting that cannot be used. */
export function readConfig(env: Environment): Config {
  return {
    host: readSetting(env, 'HTTP_HOST', host, '0.0.0.0'),
    port: readSetting(env, 'HTTP_PORT', port, 8080),
    publicUrl: readSetting(env, 'PUBLIC_URL', webUrl, null),
    trustedProxies: readSetting(env, 'TRUSTED_PROXIES', proxies, []),
    logLevel: readSetting(env, 'LOG_LEVEL', logLevel, 'info'),
  };
}

/** The public URL of a facade that listens on `listeningPort`, without trailing slash: PUBLIC_URL, else this machine. */
export function publicUrlAt(config: Config, listeningPort: number): string {
  return config.publicUrl ?? `http://localhost:${listeningPort}`;
}

const proxies: Kind<string[]> = {
  takes: 'IP addresses or networks separated by commas, such as 10.0.0.0/8,192.168.1.2',
  schema: z
    .string()
    .transform(text => text.split(',').map(part => part.trim()))
    .pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]))),
  shown: 'value',
};
