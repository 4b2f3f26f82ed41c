import type { Logger } from 'pino';
import packageFile from '../../package.json' with { type: 'json' };
import { backUp } from '../backup/back-up.ts';
import type { Manifest } from '../backup/content.ts';
import { backUpCluster, type ClusterFacts } from '../backup/physical.ts';
import type { ScheduledBackups } from '../backup/schedule.ts';
import { backUpInThread } from '../backup/thread.ts';
import type { BackupDone, BackupOrder } from '../backup/write.ts';
import { findEmbedded } from '../embedded/embedded.ts';
import { openRecord } from '../embedded/record.ts';
import { readKeptSecrets } from '../embedded/secrets.ts';
import { PLATFORM } from '../embedded/unpack.ts';
import { StartError, startSentence } from '../process/start-errors.ts';
import { checkFolder } from './backup-folder.ts';
import type { BackupSettings } from './backup-settings.ts';
import { type BackupConfig, type Config, databaseFacts } from './config.ts';
import { type DatabaseUrls, type EmbeddedDatabase, openDatabase } from './database.ts';

/** What both secrets of a deployment are named in its settings. */
const SECRETS = ['KEY_PEPPER', 'DATA_KEY'] as const;

type SecretName = (typeof SECRETS)[number];

/** A backup holds all tables, or all files of the embedded PostgreSQL. */
export type BackupKind = 'logical' | 'physical';

/** What a backup came to, and what it does not hold. */
export interface DeploymentBackup extends BackupDone {
  kind: BackupKind;
  /** The secrets that are set apart: a restore needs them, and the file does not hold them. */
  secretsNeeded: SecretName[];
}

/**
 * Backs up the database that the settings name, whether the product runs or not. Throws StartError and errors of the
 * database and the disk.
 */
export async function backUpDeployment(
  { database, passphrase }: Pick<BackupConfig, 'database' | 'passphrase'>,
  { file, kind }: { file: string; kind: BackupKind },
  log: Logger,
  onProgress: BackupOrder['onProgress'],
): Promise<DeploymentBackup> {
  if (kind === 'physical' && database.kind === 'external') {
    throw new StartError(
      '--physical takes the files of the embedded PostgreSQL, and DATABASE_URL names one of your own: leave it out, or use pg_basebackup.',
    );
  }
  await using running = new AsyncDisposableStack();
  const url =
    database.kind === 'external'
      ? database.url
      : ((await findEmbedded(database.dataDir)) ?? (await openDatabase(database, log, running)).migrateUrl);
  const secrets = await secretsFor(database);
  const order = { url, secrets, passphrase, file, version: packageFile.version, onProgress };
  const done =
    kind === 'physical' && database.kind === 'embedded'
      ? await backUpCluster(order, await clusterFacts(database.dataDir))
      : await backUp(order);
  return { ...done, kind, secretsNeeded: SECRETS.filter(name => secrets[name] === undefined) };
}

async function clusterFacts(dataDir: string): Promise<ClusterFacts> {
  const { password, productPassword } = await openRecord(dataDir);
  return { platform: PLATFORM, password, productPassword };
}

/**
 * Returns how the running product backs up its own database, whose URLs are given. A folder that cannot be used is said now,
 * where it is `new`, and not only when a backup is due; it does not stop the start, as nobody would be alerted meanwhile, nor does a
 * disk that hangs.
 */
export function prepareScheduled(
  { folder, everyS, keep, passphrase }: BackupSettings,
  database: Config['database'],
  { url, migrateUrl }: DatabaseUrls,
  folderIs: 'new' | 'known',
  log: Logger,
): ScheduledBackups {
  const facts = { ports: {}, ...databaseFacts(database) };
  const explain = (fault: unknown) =>
    startSentence(fault, facts) ??
    `It could not be made: ${fault instanceof Error ? fault.message.split('\n')[0] : String(fault)}.`;
  if (folderIs === 'new') {
    void checkFolder(folder).catch(fault => log.error(`${explain(fault)} Until then no backup is made.`));
  }
  return {
    folder,
    everyS,
    keep,
    secretsApart: secretsApart(database),
    explain,
    async make(file, signal) {
      await checkFolder(folder);
      const secrets = await secretsFor(database);
      const from = database.kind === 'embedded' ? migrateUrl : url;
      const order = { url: from, secrets, passphrase, file, version: packageFile.version };
      return backUpInThread({ order, facts }, signal);
    },
  };
}

async function secretsFor(database: Config['database']): Promise<Manifest['secrets']> {
  return database.kind === 'embedded' ? secretsOfFolder(database) : {};
}

/** Returns the secrets that backups of a deployment do not hold. */
function secretsApart(database: Config['database']): SecretName[] {
  if (database.kind === 'external') return [...SECRETS];
  return SECRETS.filter(name => (name === 'KEY_PEPPER' ? database.pepper : database.dataKey) !== null);
}

/** Secrets that are set stay where they are set. */
async function secretsOfFolder({ dataDir, pepper, dataKey }: EmbeddedDatabase): Promise<Manifest['secrets']> {
  const kept = await readKeptSecrets(dataDir);
  return {
    ...(pepper === null && kept.KEY_PEPPER !== undefined && { KEY_PEPPER: kept.KEY_PEPPER }),
    ...(dataKey === null && kept.DATA_KEY !== undefined && { DATA_KEY: kept.DATA_KEY }),
  };
}
