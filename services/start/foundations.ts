import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Bus } from '../changes/bus.ts';
import { catchUp } from '../changes/catch-up.ts';
import { createLocalBus } from '../changes/local.ts';
import { connectNatsBus } from '../changes/nats.ts';
import { createHeartbeat } from '../channels/heartbeat.ts';
import { setClock } from '../engine/clock.ts';
import { meetServer } from '../engine/takeover.ts';
import { signalsOfRecent } from '../inventory/change-news.ts';
import { startDisk } from '../limits/disk.ts';
import { createKept, type Kept } from '../limits/kept.ts';
import { StartError } from '../process/start-errors.ts';
import { createSeal } from '../store/seal.ts';
import { mailSecretUnder, webhookSecretsUnder } from '../store/secret.ts';
import { openStore, type Store } from '../store/store.ts';
import type { Foundations } from './app.ts';
import { openStoredCarriers } from './carriers.ts';
import type { Config } from './config.ts';
import { type DataPlace, openDatabase } from './database.ts';
import {
  checkDurability,
  checkRestored,
  checkRights,
  checkSecrets,
  checkSessions,
  checkWritable,
} from './database-checks.ts';
import { openPublicUrl } from './public-url.ts';
import { openBackups } from './stored-backups.ts';

/**
 * Opens what the services need, as the settings say, and puts each part on the stack of what is to be stopped. Known faults are
 * thrown in a form that startSentence has a sentence for.
 */
export async function openFoundations(
  config: Config,
  log: Logger,
  running: AsyncDisposableStack,
): Promise<Foundations & { data: DataPlace }> {
  const { url, migrateUrl, data, pepper, dataKey, also } = await openDatabase(config.database, log, running);
  await checkRestored(url);
  const store = await openStore(url, log, migrateUrl);
  running.defer(store.close);
  await checkSessions(url);
  await checkWritable(store.pool);
  await checkRights(store.pool);
  // Whatever a start writes down has a time.
  await meetServer(store.pool, log, () => setClock({ pool: store.pool, log }));
  await checkDurability(store.pool, config.unsafeDatabase);
  const seal = createSeal(dataKey, also.dataKey);
  await checkSecrets(store.pool, { pepper, also, seal });

  const bus = await openBus(config.natsUrl, store, log);
  running.defer(bus.close);

  const webhookSecret = webhookSecretsUnder(dataKey);
  const { carriers: base, carrierEnv: env, consoleCarriers: stored } = config;
  const made = { webhookSecret, mailSecret: mailSecretUnder(dataKey), ...derivedFrom(also.dataKey) };
  const carriers = await openStoredCarriers({ env, base, stored, made, seal, pool: store.pool, log });
  running.defer(carriers.channels.close);
  const publicUrl = await openPublicUrl({ pool: store.pool, seal, url: config.publicUrl, stored, log });

  const { planDefault, natsUrl, contactVerification, oidc, retention, rateLimits, metrics } = config;
  const deployment = {
    planDefault,
    contactVerification,
    oidc,
    webhookSecret,
    publicUrl: publicUrl.now,
    bus: natsUrl === null ? ('local' as const) : ('nats' as const),
  };
  const backups = await openBackups({
    pool: store.pool,
    seal,
    environment: { names: config.backupsInEnvironment, settings: config.backups },
    stored,
    database: config.database,
    urls: { url, migrateUrl },
    log,
  });
  return {
    store,
    bus,
    carriers,
    channels: carriers.channels,
    publicUrl,
    seal,
    pepper: also.pepper === null ? pepper : { now: pepper, also: also.pepper },
    rpc: closedWithoutParts(config),
    rateLimits,
    kept: await keptOn(config, data, log, running),
    deployment,
    retention,
    backups,
    metrics,
    heartbeat: config.heartbeatUrl === null ? null : createHeartbeat(config.heartbeatUrl),
    log,
    data,
  };
}

/** The disk of an embedded database is where that is; of another one, where the operator says. */
async function keptOn(
  { accountLimits, disk, rateLimits }: Config,
  data: DataPlace,
  log: Logger,
  running: AsyncDisposableStack,
): Promise<Kept> {
  const folder = disk.folder ?? (data.kind === 'embedded' ? data.folder : null);
  const watched = startDisk({ folder, floor: disk.floor, log });
  running.defer(watched.close);
  await watched.look();
  return createKept({ disk: watched, times: rateLimits === 'off' ? 'off' : accountLimits });
}

/** What receivers and mails still know of the other DATA_KEY. */
function derivedFrom(also: Buffer | null) {
  return also === null ? {} : { webhookSecretAlso: webhookSecretsUnder(also), mailSecretAlso: mailSecretUnder(also) };
}

/** Without a bus between processes no facade runs apart: then what is for other parts of a deployment is closed to everybody. */
function closedWithoutParts({ rpc, natsUrl }: Config): Config['rpc'] {
  return natsUrl === null ? { ...rpc, serviceToken: rpc.serviceToken ?? randomUUID() } : rpc;
}

/** Opens the bus, whose faults are sentences already. Signals between processes can get lost: see changes/catch-up.ts. */
async function openBus(natsUrl: string | null, store: Store, log: Logger): Promise<Bus> {
  if (natsUrl === null) return createLocalBus({ log });
  const bus = await connectNatsBus({ servers: natsUrl, log }).catch(fault => {
    throw new StartError(fault instanceof Error ? fault.message : String(fault));
  });
  // Not awaited: a start must not hang on signals that readers can do without.
  void catchUp(bus, { recent: seconds => signalsOfRecent(store.pool, seconds), log });
  return bus;
}
