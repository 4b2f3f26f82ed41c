import { join } from 'node:path';
import type { Logger } from 'pino';
import { StartError } from '../process/start-errors.ts';
import { closeToOthers, ensureCluster, PRODUCT_ROLE, ROLE } from './cluster.ts';
import { openDataDir, readIfThere } from './data-dir.ts';
import { bestHost, databaseUrl, ensureDatabase } from './database.ts';
import { lockFolder } from './lock.ts';
import { findPlace } from './place.ts';
import { CLUSTER_RECORD, openRecord, saveRecord } from './record.ts';
import { findServer, startServer, stopServer } from './server.ts';
import { watchServer } from './watch.ts';

/** Where data and programs go if PostgreSQL's user cannot enter DATA_DIR. */
export const SHELTER = '/var/lib/tocsin';

export interface EmbeddedOptions {
  /** DATA_DIR; created if missing. */
  dataDir: string;
  log: Pick<Logger, 'info' | 'error'>;
  /** Where data and programs go if PostgreSQL's user cannot enter `dataDir`. */
  shelter?: string;
  /** Settings of the server beyond its own, such as `max_connections=100`. */
  settings?: readonly string[];
}

export interface EmbeddedPostgres {
  /** postgres:// URL of the product's database, with the password of the product's role. */
  url: string;
  /** The same for the role that owns everything and migrates. */
  ownerUrl: string;
  /** Where the data are: DATA_DIR, or the folder under the shelter. */
  folder: string;
  /** Stops the server, adopted or not, and unlocks the folder. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on `<dataDir>/postgres`, creating that at first, or adopts the server that a killed product left
 * behind on it. Takes about 1.5 s at first, 0.3 s later. Throws StartError for a folder that cannot be used, is in use,
 * or contains data of another major version.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const dataDir = await openDataDir(options.dataDir);
  const place = await findPlace(dataDir, options.shelter ?? SHELTER);
  await using started = new AsyncDisposableStack();
  started.defer(lockFolder(place.folder));

  const record = await openRecord(dataDir);
  await ensureCluster(place, record.password);
  await closeToOthers(place);
  const running = await findServer(place, record.password);
  const port = running ?? (await startServer(place, record.port, options.settings));
  started.defer(() => stopServer(place));
  options.log.info(
    { folder: place.folder, port },
    running === null ? 'embedded PostgreSQL started' : 'embedded PostgreSQL adopted',
  );

  if (port !== record.port) await saveRecord(dataDir, { ...record, port });
  const host = await bestHost(place.cluster, { port, password: record.password });
  const access = { host, port, password: record.password };
  await ensureDatabase(access, record.productPassword);
  started.defer(watchServer(place, port, options));
  const closers = started.move();
  return {
    url: databaseUrl(PRODUCT_ROLE, { host, port, password: record.productPassword }),
    ownerUrl: databaseUrl(ROLE, access),
    folder: place.folder,
    stop: () => closers.disposeAsync(),
  };
}

/**
 * Returns the URL of the server that already runs on `<dataDir>/postgres`, for the role that owns everything; null if
 * none does. Leaves it to whoever runs it. Throws StartError for a folder without data.
 */
export async function findEmbedded(dataDir: string, shelter = SHELTER): Promise<string | null> {
  if ((await readIfThere(join(dataDir, CLUSTER_RECORD))) === null) {
    throw new StartError(`DATA_DIR "${dataDir}" holds no data of Tocsin: set DATA_DIR to the folder that it runs on.`);
  }
  const place = await findPlace(dataDir, shelter);
  const { password } = await openRecord(dataDir);
  const port = await findServer(place, password);
  if (port === null) return null;
  return databaseUrl(ROLE, { host: await bestHost(place.cluster, { port, password }), port, password });
}
