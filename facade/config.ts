import { z } from 'zod';
import { METRICS_PORTS, type MetricsPlace, readMetricsPlace } from '../services/process/health-pages.ts';
import { host, type LogLevel, logLevel, networks, onOrOff, port } from '../services/process/setting-kinds.ts';
import { ConfigError, type Environment, type Kind, readSetting, webUrl } from '../services/process/settings.ts';
import type { TlsFiles } from './tls.ts';

/** The settings of the facade. Tests build them by hand. */
export interface Config {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Where people and devices reach the facade, without trailing slash; null: see publicUrlAt. */
  publicUrl: string | null;
  /** Addresses and networks (CIDR) whose X-Forwarded-* headers are trusted; empty: nobody's. */
  trustedProxies: string[];
  /** With these files the facade speaks https and wss only; null: http and ws. */
  tls: TlsFiles | null;
  /** `off`: no key is rate-limited. */
  rateLimits: 'on' | 'off';
  /** Whether people may sign in to the console over a line that is not encrypted. */
  consoleOpenLine: 'taken' | 'refused';
  metrics: MetricsPlace;
  logLevel: LogLevel;
}

/** Reads the settings; nothing else under facade/ but the command line reads the environment. Throws ConfigError. */
export function readConfig(env: Environment): Config {
  const httpPort = readSetting(env, 'HTTP_PORT', port, 8080);
  return {
    host: readSetting(env, 'HTTP_HOST', host, '0.0.0.0'),
    port: httpPort,
    publicUrl: readSetting(env, 'PUBLIC_URL', webUrl, null),
    trustedProxies: readSetting(env, 'TRUSTED_PROXIES', networks, []),
    tls: readTlsFiles(env),
    rateLimits: readSetting(env, 'RATE_LIMITS', onOrOff, 'on'),
    consoleOpenLine: readSetting(env, 'CONSOLE_OPEN_LINE', takenOrRefused, 'taken'),
    metrics: readMetricsPlace(env, { own: httpPort, usual: METRICS_PORTS.facade }),
    logLevel: readSetting(env, 'LOG_LEVEL', logLevel, 'info'),
  };
}

/** Returns the public URL of a facade that listens on `listeningPort`, without trailing slash: PUBLIC_URL, else this machine. */
export function publicUrlAt(config: Config, listeningPort: number): string {
  return config.publicUrl ?? `${schemeOf(config)}://localhost:${listeningPort}`;
}

/** Returns the scheme of the facade itself; a proxy before it may speak another one. */
export function schemeOf({ tls }: Config): 'http' | 'https' {
  return tls === null ? 'http' : 'https';
}

function readTlsFiles(env: Environment): TlsFiles | null {
  const cert = readSetting(env, 'TLS_CERT', pemFile, null);
  const key = readSetting(env, 'TLS_KEY', pemFile, null);
  if (cert === null && key === null) return null;
  if (cert === null) throw new ConfigError('TLS_KEY is set without TLS_CERT: set both or none.');
  if (key === null) throw new ConfigError('TLS_CERT is set without TLS_KEY: set both or none.');
  return { cert, key };
}

const takenOrRefused: Kind<Config['consoleOpenLine']> = {
  takes: 'taken or refused',
  schema: z.enum(['taken', 'refused']),
  shown: 'value',
};

/** A path is one line, which PEM text is not. */
const pemFile: Kind<string> = {
  takes: 'the path of a PEM file',
  schema: z.string().regex(/^[^\n]+$/),
  shown: 'length',
};
