import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Checked, type Part, readParts } from '../backup/content.ts';
import { type Due, markPastAsMissed, type Past, readPast } from '../backup/past.ts';
import { checkRestorable, type RestoreOrder, restore } from '../backup/restore.ts';
import { openDataDir, readIfThere } from '../embedded/data-dir.ts';
import { CLUSTER_RECORD } from '../embedded/record.ts';
import { putSecretsBack } from '../embedded/secrets.ts';
import { type Unpacked, unpackCluster } from '../embedded/unpack.ts';
import { startClock } from '../engine/clock.ts';
import { StartError } from '../process/start-errors.ts';
import { migrateDatabase } from '../store/migrating.ts';
import { createSeal } from '../store/seal.ts';
import { relabelBackups } from '../store/statements/backups.ts';
import { openStore } from '../store/store.ts';
import type { BackupKind } from './backups.ts';
import type { BackupConfig } from './config.ts';
import { type EmbeddedDatabase, openDatabase } from './database.ts';
import { checkSecrets } from './database-checks.ts';

/** What a restore came to. */
export interface DeploymentRestored {
  kind: BackupKind;
  /** As of when everything is back (ISO). */
  at: string;
  /** Rows of all tables; 0 of a physical backup. */
  rows: number;
  /** What was due before the restore, and what became of it. */
  past: Restored;
}

type Restored = Past & { became: Due | 'nothing_was_due'; missed: number };

/** What whoever restores is asked and told. */
export interface RestoreTalk {
  /** Asked only where something was due. */
  chooseDue(past: Past): Promise<Due>;
  onProgress: RestoreOrder['onProgress'];
}

/**
 * Restores a backup into the empty database or DATA_DIR that the settings name. Throws StartError and errors of the database
 * and the disk; nothing is restored then.
 */
export async function restoreDeployment(
  { database, passphrase }: Pick<BackupConfig, 'database' | 'passphrase'>,
  file: string,
  log: Logger,
  talk: RestoreTalk,
): Promise<DeploymentRestored> {
  const checked = await checkRestorable(file, passphrase);
  const { manifest, ending, rows } = checked;
  const at = ending.at ?? manifest.at;
  if (manifest.cluster === undefined) {
    const past = await restoreTables({ database, passphrase, file, checked, log, talk });
    return { kind: 'logical', at, rows, past };
  }
  if (database.kind === 'external') {
    throw new StartError(
      'The backup holds the files of an embedded PostgreSQL, which go into an empty DATA_DIR alone: leave DATABASE_URL out, or restore one that was made without --physical.',
    );
  }
  const past = await restoreCluster({ database, passphrase, file, checked, log, talk });
  return { kind: 'physical', at, rows, past };
}

interface RestoreOn<Database> {
  database: Database;
  passphrase: string;
  file: string;
  checked: Checked;
  log: Logger;
  talk: RestoreTalk;
}

/** Fills an empty database. */
async function restoreTables(deps: RestoreOn<BackupConfig['database']>): Promise<Restored> {
  const { database, log, talk, ...backup } = deps;
  if (database.kind === 'embedded') await prepareFolder(database, backup.checked);
  await using running = new AsyncDisposableStack();
  const opened = await openDatabase(database, log, running);
  let past = NOTHING_DUE;
  await restore({
    ...backup,
    url: opened.url,
    migrateUrl: opened.migrateUrl,
    log,
    onProgress: talk.onProgress,
    async beforeUse() {
      past = await seeToPast(opened, log, talk);
    },
  });
  return past;
}

/** Makes the cluster of an empty DATA_DIR. */
async function restoreCluster(deps: RestoreOn<EmbeddedDatabase>): Promise<Restored> {
  const { database, passphrase, file, checked, log, talk } = deps;
  const { cluster, secrets } = checked.manifest;
  refuseMissing(database, checked);
  const parts = unpackedOf(readParts(file, passphrase), talk.onProgress);
  const unpacked = await unpackCluster(database.dataDir, { ...cluster!, secrets }, parts);
  try {
    await using running = new AsyncDisposableStack();
    // Recovers what was written while the files were copied.
    const opened = await openDatabase(database, log, running, 'restore');
    await migrateDatabase(opened.migrateUrl, opened.url, log);
    const past = await seeToPast(opened, log, talk);
    await unpacked.finished();
    return past;
  } catch (fault) {
    await unpacked.undo();
    throw fault;
  }
}

async function* unpackedOf(
  parts: AsyncIterable<Part>,
  onProgress: RestoreOrder['onProgress'],
): AsyncGenerator<Unpacked> {
  let done = 0;
  for await (const part of parts) {
    if (part.kind === 'file') onProgress({ at: part.path, done });
    if (part.kind === 'bytes') done += part.content.length;
    if (part.kind === 'file' || part.kind === 'folder' || part.kind === 'bytes') yield part;
  }
}

const NOTHING_DUE: Restored = { messages: 0, windows: 0, calls: 0, became: 'nothing_was_due', missed: 0 };

/**
 * Before anybody else uses what was restored: checks the secrets, tells its backups from those of the original, and asks what becomes of
 * what was due.
 */
async function seeToPast(
  { url, migrateUrl, pepper, dataKey, also }: Awaited<ReturnType<typeof openDatabase>>,
  log: Logger,
  talk: RestoreTalk,
): Promise<Restored> {
  await using running = new AsyncDisposableStack();
  const store = await openStore(url, log, migrateUrl);
  running.defer(store.close);
  // Nobody else keeps the time of a database that is being restored.
  const clock = await startClock({ pool: store.pool, log });
  running.defer(clock.close);
  await checkSecrets(store.pool, { pepper, also, seal: createSeal(dataKey, also.dataKey) });
  await relabelBackups(store.pool);
  const found = await readPast(store.pool);
  if (found.messages + found.windows + found.calls === 0) return NOTHING_DUE;
  const became = await talk.chooseDue(found);
  const missed = became === 'missed' ? await markPastAsMissed(store.working, log) : 0;
  return { ...found, became, missed };
}

/** The secrets come first: a cluster without them would be taken for one that lost them. */
async function prepareFolder(database: EmbeddedDatabase, checked: Checked): Promise<void> {
  const dataDir = await openDataDir(database.dataDir);
  refuseMissing(database, checked);
  const isUsed = (await readIfThere(join(dataDir, CLUSTER_RECORD))) !== null;
  if (!isUsed) await putSecretsBack(dataDir, checked.manifest.secrets);
}

/** Throws StartError for secrets that neither the backup nor the settings hold. */
function refuseMissing({ pepper, dataKey }: EmbeddedDatabase, { manifest }: Checked): void {
  const { KEY_PEPPER, DATA_KEY } = manifest.secrets;
  const missing = [
    ...(pepper === null && KEY_PEPPER === undefined ? ['KEY_PEPPER'] : []),
    ...(dataKey === null && DATA_KEY === undefined ? ['DATA_KEY'] : []),
  ];
  if (missing.length === 0) return;
  throw new StartError(
    `The backup does not hold ${missing.join(' and ')}, which its deployment had in its settings: set the same here.`,
  );
}
