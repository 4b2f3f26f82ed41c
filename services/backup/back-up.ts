import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type pg from 'pg';
import { faultCode, StartError } from '../process/start-errors.ts';
import { shown } from '../process/text.ts';
import { LOCKS } from '../store/lock.ts';
import { onOwnConnection } from '../store/session.ts';
import { checkBackup, json, type Manifest } from './content.ts';
import { copyOut } from './copy.ts';
import { type BackupWriter, createWriter, isBackup } from './file.ts';
import { plainSession } from './session.ts';
import { readMigrations, readSequences, readTables, type Table, withColumns } from './tables.ts';

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
  onProgress(progress: BackupProgress): void;
}

export interface BackupProgress {
  /** The table that is being written; `null`: the file is being read again. */
  table: string | null;
  /** Rows written so far. */
  rows: number;
}

/** What a backup came to. */
export interface BackupDone {
  file: string;
  /** When its snapshot was taken (ISO). */
  at: string;
  tables: number;
  rows: number;
  bytes: number;
  /** For how many seconds it held a snapshot, during which Postgres cannot clean up. */
  snapshotS: number;
  seconds: number;
}

/** How much is written as one block, in bytes. */
const BLOCK_BYTES = 256 * 1024;

/**
 * Writes all tables of a database, as they are at one moment, into one file, while the product goes on. The file gets its
 * name once it is whole, on the disk, and was read again to its end; until then `<file>.part` holds it (DECISIONS.md
 * "Backup"). Throws StartError where the person who asked can do something, and errors of the database and the disk.
 */
export async function backUp(order: BackupOrder): Promise<BackupDone> {
  const began = performance.now();
  await refuseForeign(order.file);
  const part = `${order.file}.part`;
  const written = await onOwnConnection(order.url, plainSession(), async client => {
    await takeTurn(client);
    try {
      const done = await writePart(client, part, order);
      order.onProgress({ table: null, rows: done.rows });
      await checkBackup(part, order.passphrase);
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

type Written = Pick<BackupDone, 'at' | 'tables' | 'rows' | 'snapshotS'>;

async function writePart(client: pg.Client, part: string, order: BackupOrder): Promise<Written> {
  await using file = await open(part, 'w', 0o600);
  const written = await writeContent(client, file, order);
  await file.sync();
  return written;
}

/** Writing to an open file fails without saying which. */
function withPath(fault: unknown, path: string): unknown {
  const isOfFile = fault instanceof Error && 'syscall' in fault && fault.syscall === 'write' && !('path' in fault);
  return isOfFile && faultCode(fault) !== 'EPIPE' ? Object.assign(fault, { path }) : fault;
}

async function writeContent(client: pg.Client, file: FileHandle, order: BackupOrder): Promise<Written> {
  // Before the snapshot: deriving the key takes its time.
  const writer = await createWriter(file, order.passphrase);
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  // The first look takes the snapshot.
  const { rows: clock } = await client.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  const began = performance.now();
  const migrations = await readMigrations(client);
  if (migrations.length === 0) {
    throw new StartError('The database holds nothing of Tocsin: name the one that it runs on.');
  }
  const at = clock[0]!.at.toISOString();
  await writer.write('json', json({ at, version: order.version, migrations, secrets: order.secrets }));
  const tables = await readTables(client);
  const counts: Record<string, number> = {};
  let rows = 0;
  for (const table of tables) {
    const before = rows;
    const tell = (written: number) => order.onProgress({ table: table.name, rows: before + written });
    tell(0);
    counts[table.name] = await writeTable(client, writer, table, tell);
    rows += counts[table.name]!;
  }
  await client.query('COMMIT');
  const snapshotS = secondsSince(began);
  // After the snapshot, and so not behind any row of it.
  await writer.end(json({ rows: counts, sequences: await readSequences(client) }));
  return { at, tables: tables.length, rows, snapshotS };
}

/** Returns how many rows it wrote. */
async function writeTable(
  client: pg.Client,
  writer: BackupWriter,
  table: Table,
  tell: (rows: number) => void,
): Promise<number> {
  await writer.write('json', json({ table: table.name, columns: table.columns }));
  let pending: Buffer[] = [];
  let bytes = 0;
  let rows = 0;
  const flush = async () => {
    if (bytes > 0) await writer.write('rows', Buffer.concat(pending));
    pending = [];
    bytes = 0;
    tell(rows);
  };
  for await (const row of copyOut(client, `COPY ${withColumns(table)} TO STDOUT`)) {
    pending.push(row);
    bytes += row.length;
    rows++;
    if (bytes >= BLOCK_BYTES) await flush();
  }
  await flush();
  return rows;
}

/** Whatever is no backup stays as it is. */
async function refuseForeign(file: string): Promise<void> {
  const found = await stat(file).catch(fault => {
    if (faultCode(fault) === 'ENOENT') return null;
    throw fault;
  });
  if (found === null || (found.isFile() && (found.size === 0 || (await isBackup(file))))) return;
  throw new StartError(`${shown(file)} is there already and is no backup of Tocsin: name another file.`);
}

/** The new name must survive a power cut too. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  // Not every system syncs folders.
  await handle.sync().catch(() => {});
}

function secondsSince(began: number): number {
  return Math.round(performance.now() - began) / 1000;
}
