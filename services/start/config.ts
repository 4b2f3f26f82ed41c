import { resolve } from 'node:path';
import { z } from 'zod';
import type { OidcSettings } from '../access/oidc.ts';
import { natsUrl as nats } from '../changes/nats-url.ts';
import type { MadeSetting } from '../channels/carrier.ts';
import { type CarrierSettings, carrierEnvironment, readCarriers } from '../channels/carriers.ts';
import { PLANS, type Plan } from '../domain/plan.ts';
import type { Keep, Retention } from '../engine/keep/retention.ts';
import { isDatabaseUrl } from '../process/database-url.ts';
import { METRICS_PORTS, type MetricsPlace, metricsPortOf, readMetricsPlace } from '../process/health-pages.ts';
import {
  bytes,
  email,
  folder,
  host,
  type LogLevel,
  logLevel,
  networks,
  onOrOff,
  port,
  times,
  token,
} from '../process/setting-kinds.ts';
import { ConfigError, type Environment, type Kind, readSetting, webUrl } from '../process/settings.ts';
import type { StartFacts } from '../process/start-errors.ts';
import { mismatch } from '../process/text.ts';
import { type BackupSettings, backupsInEnvironment, readBackupSettings, requirePassphrase } from './backup-settings.ts';
import type { ConsoleCarriers } from './carriers.ts';
import type { ConfigFileSetting } from './config-file.ts';
import type { EmbeddedDatabase, ExternalDatabase } from './database.ts';
import type { Unsafe } from './database-checks.ts';
import { readOidc } from './oidc-settings.ts';

/** The settings of the services. Tests build them by hand. */
export interface Config {
  database: ExternalDatabase | EmbeddedDatabase;
  rpc: {
    host: string;
    /** 0: any free port. */
    port: number;
    /** The secret that the parts of a deployment share; null: they are on one machine. */
    serviceToken: string | null;
    /** Addresses and networks (CIDR) that many callers share. */
    trustedProxies: string[];
  };
  /** `off`: no account is rate-limited, and bad keys and tokens are not answered slowly. */
  rateLimits: 'on' | 'off';
  /** How many times the usual amounts an account may store. */
  accountLimits: number;
  disk: {
    /** A folder on the disk of the database; null: the embedded one's, or not known. */
    folder: string | null;
    /** Below how many free bytes less and less is stored; null: as usual. */
    floor: number | null;
  };
  /** Null: changes travel within this process only. */
  natsUrl: string | null;
  /** How messages leave. */
  carriers: Omit<CarrierSettings, MadeSetting>;
  /** What they were read from: of these carriers nothing counts that is set up in the console. */
  carrierEnv: Environment;
  /** Whether what is set up in the console counts, and may be: not in a copy that is to alert nobody. */
  consoleCarriers: ConsoleCarriers;
  /** `trusted`: addresses count as verified as soon as they are stored; the operator vouches for them. */
  contactVerification: 'required' | 'trusted';
  /** The operator's token; null: generated once and printed. */
  consoleToken: string | null;
  /** The identity provider where members may sign in; null if none is set up. */
  oidc: OidcSettings | null;
  /** Contact of the live demo alarm; null: an address to which nothing is ever sent. */
  demoEmail: string | null;
  /** The file that is applied to the first account at every start, and how its secrets are read; null: none. */
  configFile: ConfigFileSetting | null;
  /** The plan of new accounts (DECISIONS.md "Text and call without plan"). */
  planDefault: Plan;
  /** Where people reach the facade, without trailing slash; null: known only once the facade listens. */
  publicUrl: string | null;
  retention: Retention;
  /** Backups by schedule; null: none. */
  backups: BackupSettings | null;
  /** Of which settings of theirs that is read, by name: where there are any, nothing counts that is set up in the console. */
  backupsInEnvironment: string[];
  /** Whether a server may be used that can lose what it committed. */
  unsafeDatabase: Unsafe;
  metrics: MetricsPlace;
  /** What is called while a call would alert somebody, without trailing slash; null: nothing. */
  heartbeatUrl: string | null;
  logLevel: LogLevel;
}

/** Reads the settings; nothing else under services/ reads the environment. Throws ConfigError for an unusable setting. */
export function readConfig(env: Environment): Config {
  const rpc = readRpc(env);
  return {
    database: readDatabase(env),
    rpc,
    rateLimits: readSetting(env, 'RATE_LIMITS', onOrOff, 'on'),
    accountLimits: readSetting(env, 'ACCOUNT_LIMITS', times, 1),
    disk: {
      folder: readSetting(env, 'DATABASE_DISK', folder, null),
      floor: readSetting(env, 'DISK_FLOOR', bytes, null),
    },
    natsUrl: readSetting(env, 'NATS_URL', nats, null),
    carriers: readCarriers(env),
    carrierEnv: carrierEnvironment(env),
    consoleCarriers: readSetting(env, 'CONSOLE_CARRIERS', takenOrRefused, 'taken'),
    contactVerification: readSetting(env, 'CONTACT_VERIFICATION', verification, 'required'),
    consoleToken: readSetting(env, 'CONSOLE_TOKEN', token, null),
    oidc: readOidc(env),
    demoEmail: readSetting(env, 'DEMO_EMAIL', email, null),
    configFile: readConfigFile(env),
    planDefault: readSetting(env, 'PLAN_DEFAULT', plan, 'paid'),
    publicUrl: readSetting(env, 'PUBLIC_URL', webUrl, null),
    retention: {
      calls: readSetting(env, 'RETENTION_CALLS', keep, 90),
      incidents: readSetting(env, 'RETENTION_INCIDENTS', keep, 730),
      audit: readSetting(env, 'RETENTION_AUDIT', keep, 730),
    },
    backups: readBackupSettings(env),
    backupsInEnvironment: backupsInEnvironment(env),
    unsafeDatabase: readSetting(env, 'UNSAFE_DATABASE', unsafe, 'refused'),
    metrics: readMetricsPlace(env, { own: rpc.port, usual: METRICS_PORTS.services }),
    heartbeatUrl: readSetting(env, 'HEARTBEAT_URL', heartbeatUrl, null),
    logLevel: readSetting(env, 'LOG_LEVEL', logLevel, 'info'),
  };
}

/** What a backup and a restore need: the database and the passphrase of the file. Throws ConfigError. */
export interface BackupConfig {
  database: Config['database'];
  passphrase: string;
  unsafeDatabase: Unsafe;
  logLevel: LogLevel;
}

/** Reads the settings of `tocsin backup` and `tocsin restore`. Throws ConfigError for an unusable or missing one. */
export function readBackupConfig(env: Environment): BackupConfig {
  return {
    database: readDatabase(env),
    passphrase: requirePassphrase(env, 'is required: the backup is encrypted'),
    unsafeDatabase: readSetting(env, 'UNSAFE_DATABASE', unsafe, 'refused'),
    logLevel: readSetting(env, 'LOG_LEVEL', logLevel, 'warn'),
  };
}

function readRpc(env: Environment): Config['rpc'] {
  const rpcHost = readSetting(env, 'RPC_HOST', host, '127.0.0.1');
  const serviceToken = readSetting(env, 'SERVICE_TOKEN', token, null);
  if (serviceToken === null && !/^(127\..*|::1|localhost)$/.test(rpcHost)) {
    const why =
      'is required where RPC_HOST is not this machine alone: without it anybody there could speak as a facade';
    throw new ConfigError(`SERVICE_TOKEN ${mismatch(token.takes, `nothing, and ${why}`)}`);
  }
  const trustedProxies = readSetting(env, 'TRUSTED_PROXIES', networks, []);
  return { host: rpcHost, port: readSetting(env, 'RPC_PORT', port, 8081), serviceToken, trustedProxies };
}

function readConfigFile(env: Environment): ConfigFileSetting | null {
  const path = readSetting(env, 'CONFIG_FILE', yamlFile, null);
  return path === null ? null : { path, variable: name => env[name] || null };
}

/** Returns what sentences about a failed start refer to. `ports`: those of the facade, if it runs in this process. */
export function factsOf({ database, rpc, metrics }: Config, ports: Record<string, number>): StartFacts {
  return { ports: { ...ports, RPC_PORT: rpc.port, ...metricsPortOf(metrics) }, ...databaseFacts(database) };
}

/** Returns the same for the database alone. */
export function databaseFacts(database: Config['database']): Omit<StartFacts, 'ports'> {
  if (database.kind === 'embedded') return { databaseUrl: null };
  return { databaseUrl: database.url, migrateUrl: database.migrateUrl };
}

/** Throws without NATS_URL: processes that run apart would not hear of each other's changes. */
export function requireNats({ natsUrl }: Config): void {
  if (natsUrl !== null) return;
  throw new ConfigError(`NATS_URL ${mismatch(nats.takes, 'nothing, and is required where the services run apart')}`);
}

function readDatabase(env: Environment): Config['database'] {
  const dataDir = resolve(readSetting(env, 'DATA_DIR', folder, '.data'));
  const url = readSetting(env, 'DATABASE_URL', databaseUrl, null);
  const migrateUrl = readSetting(env, 'MIGRATE_DATABASE_URL', databaseUrl, null);
  const secrets = {
    pepper: readSetting(env, 'KEY_PEPPER', pepper, null),
    dataKey: readSetting(env, 'DATA_KEY', dataKey, null),
    also: {
      pepper: readSetting(env, 'KEY_PEPPER_ALSO', pepper, null),
      dataKey: readSetting(env, 'DATA_KEY_ALSO', dataKey, null),
    },
  };
  if (url === null && migrateUrl !== null) {
    throw new ConfigError(
      'MIGRATE_DATABASE_URL is set without DATABASE_URL: set that too, with the user that may read and write rows only.',
    );
  }
  if (url === null) return { kind: 'embedded', dataDir, ...secrets };
  if (secrets.pepper === null) throw required('KEY_PEPPER', pepper);
  if (secrets.dataKey === null) throw required('DATA_KEY', dataKey);
  const { pepper: keyPepper, dataKey: key, also } = secrets;
  return { kind: 'external', url, migrateUrl: migrateUrl ?? url, pepper: keyPepper, dataKey: key, also };
}

/** Makes the fault of a missing secret. Generated anew at each start, it would make every key and stored address useless. */
function required(name: string, kind: Kind<unknown>): ConfigError {
  return new ConfigError(`${name} ${mismatch(kind.takes, 'nothing, and is required together with DATABASE_URL')}`);
}

const databaseUrl: Kind<string> = {
  takes:
    'a URL such as postgres://user:password@host:5432/database, special characters percent-encoded, with more hosts as host:5432,host:5432',
  schema: z.string().refine(isDatabaseUrl),
  shown: 'length',
  credentials: 'in_one_url',
};

const yamlFile: Kind<string> = {
  takes: 'the path of a YAML file',
  schema: z.string().regex(/^[^\0]+$/),
  shown: 'value',
};

/** Whoever knows the path can say that all is well. */
const heartbeatUrl: Kind<string> = {
  ...webUrl,
  takes: `${webUrl.takes.replace(/, such as .*/, '')}, such as https://hc-ping.com/your-uuid`,
  shown: 'length',
};

const pepper: Kind<string> = { takes: 'at least 32 characters', schema: z.string().min(32), shown: 'length' };

const dataKey: Kind<Buffer> = {
  takes: '32 bytes as 44 characters of base64 or 64 hexadecimal digits',
  schema: z.union([
    z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/)
      .transform(text => Buffer.from(text, 'hex')),
    z
      .string()
      .regex(/^[A-Za-z0-9+/]{43}=$/)
      .transform(text => Buffer.from(text, 'base64')),
  ]),
  shown: 'length',
};

const plan: Kind<Plan> = { takes: `one of ${PLANS.join(', ')}`, schema: z.enum(PLANS), shown: 'value' };

const keep: Kind<Keep> = {
  takes: 'a whole number of days from 1 to 99999 such as 90 or 90d, or forever',
  schema: z.union([
    z.literal('forever'),
    z
      .string()
      .regex(/^[1-9]\d{0,4}d?$/)
      .transform(text => Number.parseInt(text, 10)),
  ]),
  shown: 'value',
};

const takenOrRefused: Kind<ConsoleCarriers> = {
  takes: 'taken or refused',
  schema: z.enum(['taken', 'refused']),
  shown: 'value',
};

const unsafe: Kind<Unsafe> = { takes: 'refused or allowed', schema: z.enum(['refused', 'allowed']), shown: 'value' };

const verification: Kind<'required' | 'trusted'> = {
  takes: 'required or trusted',
  schema: z.enum(['required', 'trusted']),
  shown: 'value',
};
