import { join } from 'node:path';
import type { Logger } from 'pino';
import packageFile from '../../package.json' with { type: 'json' };
import { type BackupDone, type BackupOrder, backUp } from '../backup/back-up.ts';
import type { Checked } from '../backup/content.ts';
import { type Due, markPastAsMissed, type Past, readPast } from '../backup/past.ts';
import { checkRestorable, type RestoreOrder, restore } from '../backup/restore.ts';
import { openDataDir, readIfThere } from '../embedded/data-dir.ts';
import { findEmbedded } from '../embedded/embedded.ts';
import { CLUSTER_RECORD } from '../embedded/record.ts';
import { putSecretsBack, readKeptSecrets } from '../embedded/secrets.ts';
import { StartError } from '../process/start-errors.ts';
import { createSeal } from '../store/seal.ts';
import { openStore } from '../store/store.ts';
import type { BackupConfig } from './config.ts';
import { type EmbeddedDatabase, openDatabase } from './database.ts';
import { checkSecrets } from './database-checks.ts';

/** What both secrets of a deployment are named in its settings. */
const SECRETS = ['KEY_PEPPER', 'DATA_KEY'] as const;

type SecretName = (typeof SECRETS)[number];

/** What a backup came to, and what it does not hold. */
export interface DeploymentBackup extends BackupDone {
  /** The secrets that are set apart: a restore needs them, and the file does not hold them. */
  secretsNeeded: SecretName[];
}

/**
 * Backs up the database that the settings name, whether the product runs or not. Throws StartError and errors of the
 * database and the disk.
 */
export async function backUpDeployment(
  { database, passphrase }: Pick<BackupConfig, 'database' | 'passphrase'>,
  file: string,
  log: Logger,
  onProgress: BackupOrder['onProgress'],
): Promise<DeploymentBackup> {
  await using running = new AsyncDisposableStack();
  const url =
    database.kind === 'external'
      ? database.url
      : ((await findEmbedded(database.dataDir)) ?? (await openDatabase(database, log, running)).migrateUrl);
  const secrets = database.kind === 'embedded' ? await secretsOfFolder(database) : {};
  const done = await backUp({ url, secrets, passphrase, file, version: packageFile.version, onProgress });
  return { ...done, secretsNeeded: SECRETS.filter(name => secrets[name] === undefined) };
}

/** Secrets that are set stay where they are set. */
async function secretsOfFolder({
  dataDir,
  pepper,
  dataKey,
}: EmbeddedDatabase): Promise<Checked['manifest']['secrets']> {
  const kept = await readKeptSecrets(dataDir);
  return {
    ...(pepper === null && kept.KEY_PEPPER !== undefined && { KEY_PEPPER: kept.KEY_PEPPER }),
    ...(dataKey === null && kept.DATA_KEY !== undefined && { DATA_KEY: kept.DATA_KEY }),
  };
}

/** What a restore came to. */
export interface DeploymentRestored {
  /** When the snapshot of the backup was taken (ISO). */
  at: string;
  rows: number;
  /** What was due before the restore, and what became of it. */
  past: Past & { became: Due | 'nothing_was_due'; missed: number };
}

/**
 * Restores a backup into the empty database or DATA_DIR that the settings name. `chooseDue` is asked only where something
 * was due. Throws StartError and errors of the database and the disk; nothing is restored then.
 */
export async function restoreDeployment(
  { database, passphrase }: Pick<BackupConfig, 'database' | 'passphrase'>,
  file: string,
  log: Logger,
  on: { chooseDue(past: Past): Promise<Due>; onProgress: RestoreOrder['onProgress'] },
): Promise<DeploymentRestored> {
  const checked = await checkRestorable(file, passphrase);
  if (database.kind === 'embedded') await prepareFolder(database, checked);
  await using running = new AsyncDisposableStack();
  const opened = await openDatabase(database, log, running);
  const { url, migrateUrl } = opened;
  let past: DeploymentRestored['past'] = { messages: 0, windows: 0, calls: 0, became: 'nothing_was_due', missed: 0 };
  await restore({
    file,
    passphrase,
    checked,
    url,
    migrateUrl,
    log,
    onProgress: on.onProgress,
    async beforeUse() {
      const store = await openStore(url, log, migrateUrl);
      try {
        await checkSecrets(store.pool, { pepper: opened.pepper, seal: createSeal(opened.dataKey) });
        const found = await readPast(store.pool);
        if (found.messages + found.windows + found.calls === 0) return;
        const became = await on.chooseDue(found);
        const missed = became === 'missed' ? await markPastAsMissed(store.working, log) : 0;
        past = { ...found, became, missed };
      } finally {
        await store.close();
      }
    },
  });
  return { at: checked.manifest.at, rows: checked.rows, past };
}

/** The secrets come first: a cluster without them would be taken for one that lost them. */
async function prepareFolder(database: EmbeddedDatabase, { manifest }: Checked): Promise<void> {
  const dataDir = await openDataDir(database.dataDir);
  const { KEY_PEPPER, DATA_KEY } = manifest.secrets;
  const missing = [
    ...(database.pepper === null && KEY_PEPPER === undefined ? ['KEY_PEPPER'] : []),
    ...(database.dataKey === null && DATA_KEY === undefined ? ['DATA_KEY'] : []),
  ];
  if (missing.length > 0) {
    throw new StartError(
      `The backup does not hold ${missing.join(' and ')}, which its deployment had in its settings: set the same here.`,
    );
  }
  const isUsed = (await readIfThere(join(dataDir, CLUSTER_RECORD))) !== null;
  if (!isUsed) await putSecretsBack(dataDir, { KEY_PEPPER, DATA_KEY });
}
