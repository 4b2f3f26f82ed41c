import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Logger } from 'pino';
import { StartError } from '../process/start-errors.ts';
import { shown } from '../process/text.ts';
import { makeSchema, migrateDatabase } from '../store/migrating.ts';
import { compareMigrations } from '../store/orm.ts';
import { onOwnConnection } from '../store/session.ts';
import { type Checked, checkBackup, type Ending, type Part, readParts } from './content.ts';
import { plainSession } from './session.ts';
import { MARKER, readContent, readTables, type Table, wipe, withColumns } from './tables.ts';

/**
 * Reads a backup to its end before anything is touched. Throws StartError for one that cannot be restored: cut short,
 * damaged, under another passphrase, from a newer version, or from before the first release.
 */
export async function checkRestorable(file: string, passphrase: string): Promise<Checked> {
  const checked = await checkBackup(file, passphrase);
  const { migrations, version } = checked.manifest;
  const { origin } = compareMigrations(migrations);
  if (origin === 'known') return checked;
  throw new StartError(
    origin === 'newer'
      ? `The backup ${shown(file)} has a newer schema than this Tocsin knows (it was made by ${version}): restore it with that version or a later one.`
      : `The backup ${shown(file)} is from before the first release: restore it with the Tocsin that made it, save each account there with "tocsin config export", and run "tocsin config apply" with that on a new database of this one.`,
  );
}

/** A backup that was checked, and the database that it goes to. */
export interface RestoreOrder {
  file: string;
  passphrase: string;
  checked: Checked;
  /** postgres:// URLs of the role that the product runs as, and of the owner of the tables. */
  url: string;
  migrateUrl: string;
  log: Logger;
  onProgress(progress: { at: string; done: number }): void;
  /**
   * Runs once all rows are there and the schema is the present one, before anybody else may use the database. If it
   * throws, nothing was restored.
   */
  beforeUse(): Promise<void>;
}

/**
 * Fills an empty database with a backup and brings it up to date. From its first step to its last the database carries a
 * mark (tables.ts `MARKER`), on which no product starts: after a kill the next restore begins anew. Whatever else goes
 * wrong leaves the database empty. Throws StartError for a database that is not empty.
 */
export function restore(order: RestoreOrder): Promise<void> {
  const { migrateUrl, url, log } = order;
  return onOwnConnection(migrateUrl, plainSession(), async client => {
    await begin(client);
    try {
      await makeSchema(migrateUrl, order.checked.manifest.migrations.at(-1)!, log);
      await load(client, order);
      await migrateDatabase(migrateUrl, url, log);
      await client.query('ANALYZE');
      await order.beforeUse();
    } catch (fault) {
      // Whatever cannot be wiped now, the next restore wipes.
      await client.query('ROLLBACK').catch(() => {});
      await wipe(client).catch(() => {});
      throw fault;
    }
    await client.query(`DROP TABLE ${MARKER}`);
  });
}

/** The lock ends with the connection: so a restore that was cut short differs from one that is under way. */
async function begin(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock(hashtext($1)) AS taken', [
    MARKER,
  ]);
  if (!rows[0]!.taken) {
    throw new StartError('Another restore into this database is under way: wait until it has ended.');
  }
  const content = await readContent(client);
  if (content === 'filled') {
    throw new StartError('The database is not empty, and a restore overwrites nothing: name an empty one.');
  }
  if (content === 'cut_short') await wipe(client);
  await client.query(`CREATE TABLE ${MARKER} AS SELECT clock_timestamp() AS began_at`);
}

async function load(client: pg.Client, order: RestoreOrder): Promise<void> {
  const tables = await readTables(client);
  const names = tables.map(({ name }) => pg.escapeIdentifier(name));
  await client.query('BEGIN');
  // The rows are there with all that triggers make of them.
  for (const name of names) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  // Migrations write rows too.
  await client.query(`TRUNCATE ${names.join(', ')}`);
  const ending = await loadRows(client, tables, order);
  for (const [name, value] of Object.entries(ending.sequences)) {
    await client.query('SELECT setval(format($1, $2::text)::regclass, $3::bigint)', ['%I', name, value]);
  }
  // What is checked at the commit is checked now: no table is altered while a check of it is outstanding.
  await client.query('SET CONSTRAINTS ALL IMMEDIATE');
  for (const name of names) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
  await client.query('COMMIT');
}

async function loadRows(client: pg.Client, tables: readonly Table[], order: RestoreOrder): Promise<Ending> {
  const parts = readParts(order.file, order.passphrase);
  let rows = 0;
  let part = await next(parts);
  while (part.kind !== 'ending') {
    if (part.kind !== 'table') {
      part = await next(parts);
      continue;
    }
    const { name, columns } = part;
    if (!tables.some(table => table.name === name)) {
      throw new StartError(`The backup holds a table "${name}" that its own schema does not have: take another one.`);
    }
    order.onProgress({ at: name, done: rows });
    let after: Part | null = null;
    const contents = async function* () {
      for (after = await next(parts); after.kind === 'rows'; after = await next(parts)) yield after.content;
    };
    await pipeline(contents(), client.query(copyFrom(`COPY ${withColumns({ name, columns })} FROM STDIN`)));
    rows += order.checked.ending.rows[name] ?? 0;
    part = after ?? (await next(parts));
  }
  return part.ending;
}

/** A checked backup ends with its ending. */
async function next(parts: AsyncGenerator<Part>): Promise<Part> {
  const { value, done } = await parts.next();
  if (done) throw new StartError('The backup changed while it was read: try again.');
  return value;
}
