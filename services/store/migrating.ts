import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg, { type Pool, type PoolClient } from 'pg';
import type { Logger } from 'pino';
import { targetOf } from './hosts.ts';
import { LOCKS, underLock } from './lock.ts';
import { compareMigrations, createOrm, type Origin } from './orm.ts';
import { progressTo } from './progress.ts';
import { grantRights } from './rights.ts';
import { migratingSession, onOwnConnection, sessionsOf } from './session.ts';

/** A database could not be migrated. `cause` is the error of the database or the driver. */
export class MigrationFault extends Error {
  override readonly name = 'MigrationFault';
}

/**
 * Brings a database up to date: the schema, each migration in one transaction; then the rights of the product's role
 * (DECISIONS.md "Database roles"). Does nothing if all of that is done. Two processes that start together migrate one after the other.
 * Reports progress when it takes long. `url` connects as the owner of the tables, `productUrl` as the role the product
 * runs as. Returns the names of all migrations that are done. Throws MigrationFault.
 */
export function migrateDatabase(url: string, productUrl: string, log: Logger): Promise<string[]> {
  return migrating(url, log, async (orm, client) => {
    refuseStrange(await planOn(client));
    await migrateSchema(orm, log);
    await grantRights(client, new pg.Client(targetOf(productUrl)).user ?? '');
    return (await orm.migrator.getExecuted()).map(({ name }) => name);
  });
}

/**
 * Gives an empty database the schema as it was after the migration `last`, for rows of that time. Throws MigrationFault.
 */
export function makeSchema(url: string, last: string, log: Logger): Promise<void> {
  return migrating(url, log, async ({ migrator }) => {
    await migrator.up({ to: last });
  });
}

/** Runs `work` while nobody else migrates. Its faults become MigrationFaults. */
async function migrating<T>(
  url: string,
  log: Logger,
  work: (orm: MikroORM, client: PoolClient) => Promise<T>,
): Promise<T> {
  const orm = await createOrm(url, log, migratingSession());
  try {
    // Behind a pooler even the lock would not hold.
    if ((await sessionsOf(url)) === 'not_kept') throw new Error(POOLED);
    const connection = orm.em.getConnection();
    await connection.connect();
    const pool: Pool = await connection.getNativeClient();
    return await underLock(pool, LOCKS.migration, client => work(orm, client));
  } catch (fault) {
    throw fault instanceof MigrationFault ? fault : faultAt(null, fault);
  } finally {
    await orm.close(true);
  }
}

/** The migrations of a database by name, in their order. */
export interface MigrationPlan {
  /** Those already done. */
  executed: string[];
  /** Those that a start would run: none where it would refuse. */
  pending: string[];
  /** Those done by another version, which this one does not know. */
  unknown: string[];
  /** Why a start would refuse the schema; absent if it would not. */
  refused?: string;
}

/** Returns what migrating would do, and changes nothing. `url` connects as the owner of the tables. */
export function planMigration(url: string): Promise<MigrationPlan> {
  return onOwnConnection(url, migratingSession(), planOn);
}

/** Reads the table directly: the migrator would create it first. */
async function planOn(client: Pick<pg.Client, 'query'>): Promise<MigrationPlan> {
  const table = await client.query<{ name: string | null }>("SELECT to_regclass('migration') AS name");
  const isNew = table.rows[0]!.name === null;
  const done = isNew ? [] : (await client.query<{ name: string }>('SELECT name FROM migration ORDER BY id')).rows;
  const executed = done.map(({ name }) => name);
  const { pending, unknown, origin } = compareMigrations(executed);
  const refused = origin === 'known' ? await elsewhere(client) : REFUSALS[origin](unknown);
  return refused === null ? { executed, pending, unknown } : { executed, pending: [], unknown, refused };
}

/** A version that does not know all of a schema may write rows that another one cannot read. Throws MigrationFault. */
function refuseStrange({ refused }: MigrationPlan): void {
  if (refused !== undefined) throw new MigrationFault(refused);
}

const REFUSALS: Readonly<Record<Exclude<Origin, 'known'>, (unknown: readonly string[]) => string>> = {
  newer: unknown =>
    `The database belongs to a newer version: this one does not know ${unknown.join(', ')}. Start that version, or restore a backup from before it.`,
  before_first: unknown =>
    `The database is from before the first release (${unknown[0]}), and no version brings it up to date: save each account with "tocsin config export" at the Tocsin that made it, then start this one on a new database and run "tocsin config apply" with what was saved.`,
};

/** An empty database beside the tables would look like a first start: every key would be refused. Null: they are not elsewhere. */
async function elsewhere(client: Pick<pg.Client, 'query'>): Promise<string | null> {
  const { rows } = await client.query<{ schema: string }>(`
    SELECT schemaname AS schema FROM pg_tables
    WHERE tablename = 'source_state' AND to_regclass('public.source_state') IS NULL`);
  const [row] = rows;
  if (row === undefined) return null;
  const { schema } = row;
  return `The tables of Tocsin are in the schema ${schema} of this database, and it looks for them in public: rename the schema (ALTER SCHEMA ${schema} RENAME TO public, once public is gone), or name another database.`;
}

const POOLED = 'what a session sets is not kept, as with PgBouncer in between, so PostgreSQL itself has to be named';

/** The migration under way: its name, and its position among those to be run. */
interface Current {
  migration: string;
  number: number;
  of: number;
}

/** How long to keep trying while others hold the tables, in milliseconds. */
const PATIENCE_MS = 20_000;

/** Between two tries, in milliseconds. */
const REST_MS = 300;

/** Between two progress reports of a migration under way, in milliseconds. */
const TELL_MS = 2_000;

/** Runs the pending migrations, and reports progress while that takes long. */
async function migrateSchema({ migrator }: MikroORM, log: Logger): Promise<void> {
  const names = (await migrator.getPending()).map(({ name }) => name);
  if (names.length === 0) return;
  const progress = progressTo(log, process.stderr);
  const began = performance.now();
  const elapsed = () => ({ seconds: Math.round((performance.now() - began) / 1000) });
  let current: Current | null = null;
  migrator.on('migrating', async ({ name }) => {
    current = { migration: name, number: names.indexOf(name) + 1, of: names.length };
  });
  const telling = setInterval(() => {
    progress.info({ ...current, ...elapsed() }, 'the database is being migrated; the start waits for that');
  }, TELL_MS);
  try {
    await tryUntilFree(() => migrator.up());
  } catch (fault) {
    throw faultAt(current, fault);
  } finally {
    clearInterval(telling);
  }
  log.info({ migrations: names.length, ...elapsed() }, 'the database was migrated');
}

/** Begins the current migration again if a table was in use, so that those waiting behind the lock go first. */
async function tryUntilFree(work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  for (;;) {
    try {
      await work();
      return;
    } catch (fault) {
      if ((fault as { code?: unknown }).code !== LOCK_NOT_AVAILABLE || performance.now() - began > PATIENCE_MS)
        throw fault;
    }
    await sleep(REST_MS);
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

function faultAt(current: Current | null, cause: unknown): MigrationFault {
  const place = current === null ? '' : ` (${current.migration}, ${current.number} of ${current.of})`;
  const words = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
  const sentence = `The database could not be migrated${place}: ${words}. Nothing of it is half done: put that right, then start again.`;
  return new MigrationFault(sentence, { cause });
}
