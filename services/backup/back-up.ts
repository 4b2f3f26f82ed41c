import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { StartError } from '../process/start-errors.ts';
import { rowsIn, writeColumns, writeEnding, writeManifest, writeRows } from './content.ts';
import type { BackupWriter } from './file.ts';
import { readMigrations, readSequences, readTables, type Table, withColumns } from './tables.ts';
import { type BackupDone, type BackupOrder, secondsSince, type WrittenBackup, writeBackup } from './write.ts';

/** How much is written as one entry, in bytes. */
const ENTRY_BYTES = 1024 * 1024;

/** Writes all tables of a database, as they are at one moment, into one file. Throws as writeBackup does. */
export function backUp(order: BackupOrder): Promise<BackupDone> {
  return writeBackup(order, (client, writer) => writeTables(client, writer, order));
}

async function writeTables(client: pg.Client, writer: BackupWriter, order: BackupOrder): Promise<WrittenBackup> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  // The first look takes the snapshot.
  const { rows: clock } = await client.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  const began = performance.now();
  const migrations = await migrationsOf(client);
  const at = clock[0]!.at.toISOString();
  await writeManifest(writer, { at, version: order.version, migrations, secrets: order.secrets });
  const counts: Record<string, number> = {};
  let rows = 0;
  const tables = await readTables(client);
  for (const table of tables) {
    const before = rows;
    const tell = (written: number) => order.onProgress({ at: table.name, done: before + written });
    tell(0);
    counts[table.name] = await writeTable(client, writer, table, tell);
    rows += counts[table.name]!;
  }
  await client.query('COMMIT');
  const snapshotS = secondsSince(began);
  // After the snapshot, and so not behind any row of it.
  await writeEnding(writer, { rows: counts, sequences: await readSequences(client) });
  return { at, tables: tables.length, rows, snapshotS };
}

/** Returns the migrations that a database has run. Throws StartError if it is not one of Tocsin's. */
export async function migrationsOf(client: pg.Client): Promise<string[]> {
  const migrations = await readMigrations(client);
  if (migrations.length > 0) return migrations;
  throw new StartError('The database holds nothing of Tocsin: name the one that it runs on.');
}

/** Returns how many rows it wrote. */
async function writeTable(
  client: pg.Client,
  writer: BackupWriter,
  table: Table,
  tell: (rows: number) => void,
): Promise<number> {
  await writeColumns(writer, table);
  let pending: Buffer[] = [];
  let bytes = 0;
  let rows = 0;
  let entries = 0;
  const flush = async () => {
    if (bytes > 0) await writeRows(writer, table.name, ++entries, Buffer.concat(pending));
    pending = [];
    bytes = 0;
    tell(rows);
  };
  const copied = client.query(copyTo(`COPY ${withColumns(table)} TO STDOUT`));
  for await (const chunk of copied as AsyncIterable<Buffer>) {
    pending.push(chunk);
    bytes += chunk.length;
    rows += rowsIn(chunk);
    if (bytes >= ENTRY_BYTES) await flush();
  }
  await flush();
  return rows;
}
