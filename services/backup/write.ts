import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type pg from 'pg';
import { faultCode, StartError } from '../process/start-errors.ts';
import { shown } from '../process/text.ts';
import { LOCKS } from '../store/lock.ts';
import { onOwnConnection } from '../store/session.ts';
import { checkBackup, isBackup, type Manifest } from './content.ts';
import { type BackupWriter, createWriter } from './file.ts';
import { plainSession } from './session.ts';

/** What is to be backed up, and where to. */
export interface BackupOrder {
  /** postgres:// URL of a role that may read all tables. */
  url: string;
  /** The secrets that go into the file, by setting. */
  secrets: Manifest['secrets'];
  passphrase: string;
  /** Absolute path. A backup that is there already is replaced once the new one is whole. */
  file: string;
  /** The version of Tocsin. */
  version: string;
  /** Gives it up; what was written is removed. */
  signal?: AbortSignal;
  onProgress(progress: BackupProgress): void;
}

export interface BackupProgress {
  /** The table or file that is being written; `null`: the backup is being read again. */
  at: string | null;
  /** Rows or bytes written so far. */
  done: number;
}

/** What a backup came to. */
export interface BackupDone extends WrittenBackup {
  file: string;
  /** The size of the file. */
  bytes: number;
  seconds: number;
}

/** What was written into a backup. */
export interface WrittenBackup {
  /** The moment as of which it holds everything (ISO). */
  at: string;
  /** Tables and their rows; 0 in a physical one. */
  tables: number;
  rows: number;
  /** For how many seconds it held a snapshot, during which Postgres cannot clean up. */
  snapshotS: number;
}

/**
 * Writes a backup by `write`, while the product goes on. The file gets its name once it is whole, on the disk, and was read
 * again to its end; until then `<file>.part` holds it (DECISIONS.md "Backup"). Throws StartError where the person who asked
 * can do something, and errors of the database and the disk.
 */
export async function writeBackup(
  order: BackupOrder,
  write: (client: pg.Client, writer: BackupWriter) => Promise<WrittenBackup>,
): Promise<BackupDone> {
  const began = performance.now();
  await refuseForeign(order);
  const part = `${order.file}.part`;
  const written = await onOwnConnection(order.url, plainSession(), async client => {
    await takeTurn(client);
    // A statement that waits for a lock ends with its connection.
    order.signal?.addEventListener('abort', () => void client.end().catch(() => {}));
    try {
      const done = await writePart(part, order.passphrase, writer => write(client, writer));
      order.onProgress({ at: null, done: done.rows });
      await checkBackup(part, order.passphrase, order.signal);
      await rename(part, order.file);
      return done;
    } catch (fault) {
      await rm(part, { force: true });
      throw withPath(fault, part);
    }
  });
  await syncFolder(dirname(order.file));
  const { size } = await stat(order.file);
  return { file: order.file, ...written, bytes: size, seconds: secondsSince(began) };
}

/** Two at once would write the same file, and hold two snapshots. The lock ends with the connection. */
async function takeTurn(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [LOCKS.backup]);
  if (rows[0]!.taken) return;
  throw new StartError('Another backup of this database is under way: wait until it has ended.');
}

async function writePart(
  part: string,
  passphrase: string,
  write: (writer: BackupWriter) => Promise<WrittenBackup>,
): Promise<WrittenBackup> {
  await using file: FileHandle = await open(part, 'w', 0o600);
  // Before anything of the database is held: deriving the key takes its time.
  await using writer = await createWriter(file, passphrase);
  const written = await write(writer);
  await file.sync();
  return written;
}

/** Writing to an open file fails without saying which. */
function withPath(fault: unknown, path: string): unknown {
  const isOfFile = fault instanceof Error && 'syscall' in fault && fault.syscall === 'write' && !('path' in fault);
  return isOfFile && faultCode(fault) !== 'EPIPE' ? Object.assign(fault, { path }) : fault;
}

/** Whatever is no backup stays as it is. */
async function refuseForeign({ file, passphrase }: BackupOrder): Promise<void> {
  const found = await stat(file).catch(fault => {
    if (faultCode(fault) === 'ENOENT') return null;
    throw fault;
  });
  if (found === null || (found.isFile() && (found.size === 0 || (await isBackup(file, passphrase))))) return;
  throw new StartError(
    `${shown(file)} is there already and is no backup of Tocsin that BACKUP_PASSPHRASE opens: name another file.`,
  );
}

/** The new name must survive a power cut too. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  // Not every system syncs folders.
  await handle.sync().catch(() => {});
}

/** Returns the seconds since a time of `performance.now()`. */
export function secondsSince(began: number): number {
  return Math.round(performance.now() - began) / 1000;
}
