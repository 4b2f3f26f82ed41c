import { randomBytes } from 'node:crypto';
import { type Logger, pino } from 'pino';
import { inject, onTestFinished } from 'vitest';
import { type Facade, startFacade } from '../../facade/app.ts';
import type { OidcSettings } from '../../services/access/oidc.ts';
import type { Bus } from '../../services/changes/bus.ts';
import { createLocalBus } from '../../services/changes/local.ts';
import type { CarrierSettings } from '../../services/channels/carriers.ts';
import { createHeartbeat } from '../../services/channels/heartbeat.ts';
import type { Retention } from '../../services/engine/keep/retention.ts';
import { ROOMY } from '../../services/limits/disk.ts';
import { createKept, type Kept } from '../../services/limits/kept.ts';
import type { RpcBounds } from '../../services/rpc/port.ts';
import { type Services, startServices } from '../../services/start/app.ts';
import type { BackupSettings } from '../../services/start/backup-settings.ts';
import { openStoredCarriers } from '../../services/start/carriers.ts';
import { checkSecrets } from '../../services/start/database-checks.ts';
import { ensureOperatorToken } from '../../services/start/first-start.ts';
import { openPublicUrl } from '../../services/start/public-url.ts';
import { openBackups } from '../../services/start/stored-backups.ts';
import { newId } from '../../services/store/id.ts';
import { createSeal, type Seal } from '../../services/store/seal.ts';
import { type Pepper, webhookSecretsUnder } from '../../services/store/secret.ts';
import { openStore, type Store } from '../../services/store/store.ts';
import { carriers } from './carriers.ts';
import {
  advanceClock,
  databaseOn,
  dropDatabase,
  dropRole,
  makeDatabase,
  makeProductRole,
  passTimeTogether,
  settableClock,
  TEMPLATE,
} from './database.ts';
import { facadeConfig } from './facade-config.ts';
import { lendStore } from './lent-store.ts';
import { logInto } from './log.ts';
import { type AccountOptions, makeAccount, type Owner, ownersView } from './owner.ts';

export const PEPPER = 'a pepper of the tests, long enough for anybody';

/** An answer of /v1. */
export interface Answer {
  status: number;
  headers: Headers;
  body: Envelope;
}

export interface Envelope {
  error: boolean;
  message: string | null;
  links: Record<string, string>;
  traceId: string;
  data: Record<string, unknown>;
}

/** The whole product in this process on a database of its own, and what it takes to fill it and to move its time. */
export interface World {
  url: string;
  rpcUrl: string;
  databaseUrl: string;
  /** The operator's console token. */
  operator: string;
  store: Store;
  bus: Bus;
  /** What addresses are sealed by. */
  seal: Seal;
  services: Services;
  /** Calls the public door: a real GET over the loopback. */
  get(path: string, key?: string): Promise<Answer>;
  /** Lets the product do all that there is to do now. */
  settle(): Promise<void>;
  /** Moves the one clock on, and lets nothing be done. */
  passTime(seconds: number): Promise<void>;
  /** Moves the one clock on, then settles. */
  advance(seconds: number): Promise<void>;
  /** Lets so many seconds pass in which the product does nothing. Needs `clock: 'settable'`. */
  standStill(seconds: number): Promise<void>;
  /** Sets the database's clock by so many seconds, back if negative, then settles. Needs `clock: 'settable'`. */
  setClock(seconds: number): Promise<void>;
  /** Lets the product remove all that was kept for long enough. */
  sweep(): Promise<void>;
  /** Rows of a query, for what no door shows. */
  rows<Row extends Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Makes an account with a location. */
  account(options?: AccountOptions): Promise<Owner>;
}

/** What stands in the environment where that sets up backups. */
const BACKUPS_SET = ['BACKUP_DIR', 'BACKUP_PASSPHRASE'];

/** What a world may be started with. */
export interface WorldOptions {
  /** Email goes there; absent: it has no carrier. */
  smtpUrl?: string;
  /** Carriers that are there besides: servers of test/support. */
  carriers?: Partial<CarrierSettings>;
  /** What of the environment sets up carriers, beside what `carriers` makes of it; absent: nothing. */
  carrierEnv?: Readonly<Record<string, string>>;
  /** CONSOLE_CARRIERS; absent: as by default. */
  consoleCarriers?: 'taken' | 'refused';
  /** With one, describe says where to listen and messages carry links; `of the facade`: where the world really listens. */
  publicUrl?: string;
  /** In place of one of its own. */
  bus?: Bus;
  /** A database that is there already, by name; it is dropped with the test all the same. In place of one of its own. */
  database?: string;
  /** postgres:// URL of a server of its own, on which `database` is; in place of the one of the run. */
  server?: string;
  contactVerification?: 'required' | 'trusted';
  /** The identity provider; absent: none. */
  oidc?: OidcSettings;
  /** For how many days things are kept; what is absent: as by default. */
  retention?: Partial<Retention>;
  /** Backups that it makes by itself, as the environment sets them up; absent: it does not. */
  backups?: BackupSettings;
  /** What of that stands in the environment, by name; absent: as `backups` needs it. */
  backupEnv?: readonly string[];
  /** DATA_DIR, into which no backups go; absent: the database is not the embedded one. */
  dataDir?: string;
  /** Who is told that all is well (HEARTBEAT_URL); absent: nobody. */
  heartbeatUrl?: string;
  /** DATA_KEY, and DATA_KEY_ALSO; absent: one of its own, and none. */
  dataKey?: Buffer;
  dataKeyAlso?: Buffer;
  /** KEY_PEPPER, and KEY_PEPPER_ALSO; absent: PEPPER. */
  pepper?: Pepper;
  /** Off where absent: most tests ask for more than any honest sender does. */
  rateLimits?: 'on' | 'off';
  /** What accounts may make the database keep; absent: as `rateLimits` says, on a disk that always has room. */
  kept?: Kept;
  /** Where the lines of its log go; absent: nowhere. */
  logLines?: string[];
  /** What others have to show at the RPC port; absent: nothing. */
  serviceToken?: string;
  /** What bounds the connections of the RPC port, where not as by default. */
  rpc?: Partial<RpcBounds>;
  /** Between two questions of the sockets about all of their keys, in milliseconds; absent: as by default. */
  recheckMs?: number;
  /** Between two times that the services are told which sockets live, in milliseconds; absent: as by default. */
  aliveMs?: number;
  /** `fresh`: on a database that nobody used before, for what depends on how its tables are planned; absent: any will do. */
  tables?: 'fresh' | undefined;
  /** `two`: the product works as a role of its own that owns nothing; absent: as the owner of the tables. */
  roles?: 'one' | 'two';
  /**
   * `settable`: the product's own clock is at work on a clock of the database that the test sets (`setClock`), and on a
   * count of time that only `advance` moves. Absent: the deployment's time is what the test says.
   */
  clock?: 'settable';
  /** Where its log goes; absent: nowhere, or where TEST_LOG says. */
  log?: Logger;
}

/** Starts a world; it ends with the test. What has no carrier is kept. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const toTerminal = () => pino({ level: process.env.TEST_LOG ?? 'silent' });
  const log = options.log ?? (options.logLines === undefined ? toTerminal() : logInto(options.logLines));
  const { store, databaseUrl, giveBack } = await storeFor(options, log);
  let upMs = 0;
  if (options.clock === 'settable') await settableClock(store.pool);
  const dataKey = options.dataKey ?? randomBytes(32);
  const dataKeyAlso = options.dataKeyAlso ?? null;
  const pepper = options.pepper ?? PEPPER;
  const seal = createSeal(dataKey, dataKeyAlso);
  const webhookSecret = webhookSecretsUnder(randomBytes(32));
  const { mailSecret, ...base } = { ...carriers(options.smtpUrl ?? null), ...options.carriers };
  const made = { mailSecret, webhookSecret: options.carriers?.webhookSecret ?? webhookSecret };
  const { carrierEnv: env = {}, consoleCarriers: stored = 'taken' } = options;
  const here = await openStoredCarriers({ env, base, stored, made, seal, pool: store.pool, log });
  const { channels } = here;
  const bus = options.bus ?? createLocalBus();
  const rpc = {
    host: '127.0.0.1',
    port: 0,
    serviceToken: options.serviceToken ?? null,
    trustedProxies: [],
    ...options.rpc,
  };
  const rateLimits = options.rateLimits ?? 'off';
  let facadeUrl: string | null = null;
  let ownWay: Facade['ownWay'] = async () => 'answers';
  const url = options.publicUrl === 'of the facade' ? null : options.publicUrl || null;
  const setUrl = await openPublicUrl({ pool: store.pool, seal, url, stored, log });
  const given = () => (options.publicUrl === 'of the facade' ? facadeUrl : options.publicUrl || null);
  const publicUrl = () => (setUrl.setIn() === 'console' ? setUrl.now() : given());
  const contactVerification = options.contactVerification ?? 'required';
  const { oidc = null } = options;
  const deployment = {
    planDefault: 'paid',
    publicUrl,
    bus: 'local',
    contactVerification,
    webhookSecret,
    oidc,
  } as const;
  const retention = { calls: 90, incidents: 730, audit: 730, ...options.retention };
  const urls = { url: databaseUrl, migrateUrl: databaseUrl };
  const secrets = { pepper: PEPPER, dataKey, also: { pepper: null, dataKey: null } };
  const { dataDir } = options;
  const backups = await openBackups({
    pool: store.pool,
    seal,
    environment: {
      names: options.backupEnv ?? (options.backups === undefined ? [] : BACKUPS_SET),
      settings: options.backups ?? null,
    },
    stored,
    database:
      dataDir === undefined ? { kind: 'external', ...urls, ...secrets } : { kind: 'embedded', dataDir, ...secrets },
    urls,
    log,
  });
  const services = await startServices({
    store,
    bus,
    carriers: here,
    channels,
    publicUrl: setUrl,
    seal,
    pepper,
    rpc,
    rateLimits,
    kept: options.kept ?? createKept({ disk: ROOMY, times: rateLimits === 'off' ? 'off' : 1 }),
    deployment,
    retention,
    backups,
    metrics: 'here',
    heartbeat: options.heartbeatUrl === undefined ? null : createHeartbeat(options.heartbeatUrl),
    ownWay: () => ownWay(),
    log,
    ...(options.clock === 'settable' && { steady: { boot: databaseUrl, uptimeMs: () => upMs } }),
  });
  if (options.dataKey !== undefined || options.pepper !== undefined) {
    const { now, also } = typeof pepper === 'string' ? { now: pepper, also: null } : pepper;
    await checkSecrets(store.pool, { pepper: now, also: { pepper: also }, seal });
  }
  const operator = (await ensureOperatorToken(store.orm.em.fork(), pepper, null)) ?? '';
  const facade = await startFacade({
    transport: services.transport,
    config: facadeConfig({ rateLimits }),
    publicUrl: () => (setUrl.setIn() === 'console' ? setUrl.now() : null),
    log,
    realtime: { bus, times: relayTimes(options) },
  });
  facadeUrl = facade.url;
  ownWay = facade.ownWay;
  onTestFinished(async () => {
    await facade.close();
    await services.close();
    await channels.close();
    await bus.close();
    await giveBack();
  });

  const standStill = (seconds: number) => passTimeTogether(store.pool, seconds, () => (upMs += seconds * 1_000));
  const passTime = async (seconds: number) => {
    if (options.clock !== 'settable') return advanceClock(store.pool, seconds);
    await standStill(seconds);
    await services.keepTime();
  };
  return {
    url: facade.url,
    rpcUrl: services.rpcUrl,
    databaseUrl,
    operator,
    store,
    bus,
    seal,
    services,
    async get(path, key) {
      const response = await fetch(facade.url + path, key === undefined ? {} : { headers: { 'x-api-key': key } });
      return { status: response.status, headers: response.headers, body: (await response.json()) as Envelope };
    },
    settle: () => services.drain(),
    sweep: () => services.sweep(),
    async setClock(seconds) {
      await advanceClock(store.pool, seconds);
      await services.drain();
    },
    passTime,
    standStill,
    async advance(seconds) {
      await passTime(seconds);
      await services.drain();
    },
    async rows<Row extends Record<string, unknown>>(sql: string, values: unknown[] = []) {
      return (await store.pool.query<Row>(sql, values)).rows;
    },
    async account(options = {}) {
      const owner = await makeAccount({ store, seal, pepper }, options);
      return { ...owner, ...ownersView(services.rpcUrl, operator, owner.accountId) };
    },
  };
}

function relayTimes({ recheckMs, aliveMs }: WorldOptions) {
  return {
    ...(recheckMs !== undefined && { recheck: recheckMs }),
    ...(aliveMs !== undefined && { alive: aliveMs }),
  };
}

/** A store that is lent where any will do, and one of the test's own where it names the server, the database or a role. */
async function storeFor(
  options: WorldOptions,
  log: Logger,
): Promise<{ store: Store; databaseUrl: string; giveBack(): Promise<void> }> {
  if (
    options.database === undefined &&
    options.tables !== 'fresh' &&
    options.roles !== 'two' &&
    options.clock !== 'settable'
  )
    return lendStore(log);
  const postgresUrl = options.server ?? inject('postgresUrl');
  const name = options.database ?? `world_${newId()}`;
  const databaseUrl =
    options.database === undefined
      ? await makeDatabase(postgresUrl, { name, from: TEMPLATE })
      : databaseOn(postgresUrl, name);
  const productUrl = options.roles === 'two' ? await makeProductRole(databaseUrl) : databaseUrl;
  const store = await openStore(productUrl, log, databaseUrl);
  return {
    store,
    databaseUrl,
    async giveBack() {
      await store.close();
      await dropDatabase(postgresUrl, name);
      if (productUrl !== databaseUrl) await dropRole(postgresUrl, new URL(productUrl).username);
    },
  };
}
