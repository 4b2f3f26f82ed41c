import type { Dirent } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type pg from 'pg';
import { faultCode, StartError } from '../process/start-errors.ts';
import { migrationsOf } from './back-up.ts';
import { type Manifest, writeEnding, writeFile, writeFolder, writeManifest } from './content.ts';
import type { BackupWriter } from './file.ts';
import { type BackupDone, type BackupOrder, type WrittenBackup, writeBackup } from './write.ts';

/*
 * The data folder of the embedded PostgreSQL, copied while it runs, as pg_basebackup does, which does not come along: the
 * copy is of no single moment, and the log that was written meanwhile makes it one as soon as a server starts on it.
 */

/** What of a cluster a restore needs beside its files. */
export type ClusterFacts = Omit<NonNullable<Manifest['cluster']>, 'major'>;

/** How much of a file is read at once, in bytes. */
const READ_BYTES = 1024 * 1024;

/** Folders whose content a server makes anew. */
const EMPTIED: readonly string[] = [
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
];

/** What belongs to the running server, or is only remembered for speed. */
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|\.s\.PGSQL\..*|postgres\.log.*|backup_label.*|tablespace_map.*|current_logfiles|pgsql_tmp.*|pg_internal\.init.*)$/;

/** Goes last of the files: it says how far the log had been written. */
const CONTROL = 'global/pg_control';

/**
 * Writes the data folder of an embedded PostgreSQL into one file: everything that was committed until it ended. It holds no
 * snapshot. `order.url` names a superuser. Throws as writeBackup does.
 */
export function backUpCluster(order: BackupOrder, facts: ClusterFacts): Promise<BackupDone> {
  return writeBackup(order, (client, writer) => writeCluster(client, writer, order, facts));
}

async function writeCluster(
  client: pg.Client,
  writer: BackupWriter,
  { version, secrets, onProgress, signal }: BackupOrder,
  facts: ClusterFacts,
): Promise<WrittenBackup> {
  const migrations = await migrationsOf(client);
  const { rows: found } = await client.query<{ folder: string; major: number; at: Date }>(
    `SELECT current_setting('data_directory') AS folder, clock_timestamp() AS at,
       current_setting('server_version_num')::int / 10000 AS major`,
  );
  const { folder, major, at: began } = found[0]!;
  // Keeps the log that is written from now on until this connection ends.
  await client.query("SELECT pg_create_physical_replication_slot('tocsin_backup', true, true)");
  const { rows: started } = await client.query<{ wal: string }>(
    "SELECT pg_walfile_name(pg_backup_start('tocsin backup', fast => true)) AS wal",
  );
  await writeManifest(writer, { at: began.toISOString(), version, migrations, secrets, cluster: { ...facts, major } });

  let files = 0;
  let bytes = 0;
  const write = async (path: string, size: number, content: AsyncIterable<Buffer>) => {
    signal?.throwIfAborted();
    onProgress({ at: path, done: bytes });
    await writeFile(writer, path, size, content);
    files++;
    bytes += size;
  };
  const copy = async (path: string) => {
    await using file = await open(join(folder, path), 'r').catch(fault => {
      // Its table was dropped meanwhile.
      if (faultCode(fault) === 'ENOENT' && path !== CONTROL) return null;
      throw fault;
    });
    if (file === null) return;
    const { size } = await file.stat();
    await write(path, size, chunksOf(file, size, signal));
  };

  for await (const { path, is } of entriesOf(folder)) {
    if (is === 'folder') await writeFolder(writer, path);
    else await copy(path);
  }
  await copy(CONTROL);
  const { rows: clock } = await client.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  const { rows: stopped } = await client.query<{ wal: string; label: string }>(
    'SELECT pg_walfile_name(lsn) AS wal, labelfile AS label FROM pg_backup_stop(wait_for_archive => false)',
  );
  const { wal, label } = stopped[0]!;
  await write('backup_label', Buffer.byteLength(label), Readable.from([Buffer.from(label)]));
  for (const name of (await readdir(join(folder, 'pg_wal'))).sort()) {
    const isWanted = /^[0-9A-F]{24}$/.test(name) ? name >= started[0]!.wal && name <= wal : /\.history$/.test(name);
    if (isWanted) await copy(`pg_wal/${name}`);
  }
  const at = clock[0]!.at.toISOString();
  await writeEnding(writer, { rows: {}, sequences: {}, files, bytes, at });
  return { at, tables: 0, rows: 0, snapshotS: 0 };
}

/** What was cut off meanwhile is filled up with zeros, and what was added is left out: the log makes both good. */
async function* chunksOf(file: FileHandle, size: number, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  for (let left = size; left > 0; ) {
    signal?.throwIfAborted();
    // What is written is compressed later than it is read.
    const buffer = Buffer.alloc(Math.min(READ_BYTES, left));
    const { bytesRead } = await file.read(buffer);
    const chunk = bytesRead === 0 ? buffer : buffer.subarray(0, bytesRead);
    left -= chunk.length;
    yield chunk;
  }
}

/** Yields what of a data folder is copied, folders before what is in them. */
async function* entriesOf(folder: string, within = ''): AsyncGenerator<{ path: string; is: 'folder' | 'file' }> {
  for (const entry of await listFolder(join(folder, within))) {
    const path = within === '' ? entry.name : `${within}/${entry.name}`;
    if (LEFT_OUT.test(entry.name) || path === CONTROL) continue;
    if (entry.isDirectory()) {
      yield { path, is: 'folder' };
      if (!EMPTIED.includes(path)) yield* entriesOf(folder, path);
    } else if (entry.isFile()) {
      yield { path, is: 'file' };
    } else {
      throw new StartError(`"${join(folder, path)}" is neither file nor folder: take the backup without --physical.`);
    }
  }
}

/** A folder of a database that was dropped meanwhile is empty. */
async function listFolder(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (fault) {
    if (faultCode(fault) === 'ENOENT') return [];
    throw fault;
  }
}
