import type { Logger } from 'pino';
import { openDataDir } from '../embedded/data-dir.ts';
import { startEmbedded } from '../embedded/embedded.ts';
import { keepSecrets, type OtherSecrets, type Secrets } from '../embedded/secrets.ts';
import { refuseUnfinished } from '../embedded/unpack.ts';
import { checkServer } from './database-checks.ts';

/** A PostgreSQL server that the operator runs. */
export interface ExternalDatabase {
  kind: 'external';
  /** DATABASE_URL, with the role as which the product works. */
  url: string;
  /** MIGRATE_DATABASE_URL, with the role that migrates; by default DATABASE_URL. */
  migrateUrl: string;
  /** KEY_PEPPER. */
  pepper: string;
  /** DATA_KEY, 32 bytes. */
  dataKey: Buffer;
  also: OtherSecrets;
}

/** The PostgreSQL server that comes with the product. */
export interface EmbeddedDatabase {
  kind: 'embedded';
  /** Absolute path. */
  dataDir: string;
  /** KEY_PEPPER; null: generated once in `dataDir`, see keepSecrets. */
  pepper: string | null;
  /** DATA_KEY, 32 bytes; null: as above. */
  dataKey: Buffer | null;
  also: OtherSecrets;
}

/** Where the data are, for people: the folder of the embedded database, or a URL. */
export type DataPlace = { kind: 'embedded'; folder: string } | { kind: 'external'; url: string };

/** The URLs of a database: for the product, and for the owner of its tables (DECISIONS.md "Database roles"). */
export interface DatabaseUrls {
  url: string;
  migrateUrl: string;
}

/**
 * Returns the database that the settings name, with its secrets. An embedded one is started and put on the stack of what is to
 * be stopped. Throws StartError if it cannot be, if the server is not PostgreSQL, or if a restore into its folder has not ended, unless this is that restore.
 */
export async function openDatabase(
  database: ExternalDatabase | EmbeddedDatabase,
  log: Logger,
  running: AsyncDisposableStack,
  during: 'work' | 'restore' = 'work',
): Promise<Secrets & DatabaseUrls & { also: OtherSecrets; data: DataPlace }> {
  if (database.kind === 'external') {
    const { url, migrateUrl, pepper, dataKey, also } = database;
    await checkServer(url);
    return { url, migrateUrl, pepper, dataKey, also, data: { kind: 'external', url } };
  }
  const dataDir = await openDataDir(database.dataDir);
  if (during === 'work') await refuseUnfinished(dataDir);
  const secrets = await keepSecrets(dataDir, database);
  const postgres = await startEmbedded({ dataDir, log });
  running.defer(postgres.stop);
  return {
    ...secrets,
    also: database.also,
    url: postgres.url,
    migrateUrl: postgres.ownerUrl,
    data: { kind: 'embedded', folder: postgres.folder },
  };
}
