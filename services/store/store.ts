import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { createOrm } from './orm.ts';

/** The database: entities through `orm`, the few hot statements through `pool`. Both share the same connections. */
export interface Store {
  orm: MikroORM;
  pool: Pool;
  close(): Promise<void>;
}

/** Any number; the same in every version, so that two processes that start together migrate one after the other. */
const MIGRATION_LOCK = 7_206_811_043;

/**
 * Connects and brings the schema up to date. `url` is a postgres:// URL. Throws the driver's error when the database
 * cannot be reached.
 */
export async function openStore(url: string, log: Logger): Promise<Store> {
  const orm = await createOrm(url, log);
  try {
    const pool: Pool = await (await connect(orm)).getNativeClient();
    await migrate(orm, pool);
    return { orm, pool, close: () => orm.close(true) };
  } catch (error) {
    await orm.close(true);
    throw error;
  }
}

async function connect(orm: MikroORM) {
  const connection = orm.em.getConnection();
  await connection.connect();
  return connection;
}

/** Runs what is missing, behind an advisory lock on a connection of its own. */
async function migrate(orm: MikroORM, pool: Pool): Promise<void> {
  const client: PoolClient = await pool.connect();
  try {
    // Another process may be migrating for longer than a statement may usually wait.
    await client.query('SET statement_timeout = 0');
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await orm.migrator.up();
    await client.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
  } finally {
    client.release(true);
  }
}
