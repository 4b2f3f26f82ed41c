import type { MikroORM } from '@mikro-orm/postgresql';
import pg, { type Pool, type PoolClient } from 'pg';
import type { Logger } from 'pino';
import { createOrm } from './orm.ts';
import { session } from './session.ts';

/** The database: entities through `orm`, the few hot statements through `pool`. Both share the same connections. */
export interface Store {
  orm: MikroORM;
  pool: Pool;
  /**
   * Connections for accepting alone: whatever the rest does, a call finds one. Its statements end before the caller is
   * told that the call was not accepted, so that what is answered with 503 is not stored a moment later.
   */
  accepting: Pool;
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
    const accepting = acceptingPool(url, log);
    return {
      orm,
      pool,
      accepting,
      async close() {
        await accepting.end();
        await orm.close(true);
      },
    };
  } catch (error) {
    await orm.close(true);
    throw error;
  }
}

/** How long the accept statement may take, in milliseconds: with its wait before, less than a caller waits for it. */
const ACCEPT_MS = 1_200;

function acceptingPool(url: string, log: Logger): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    options: session(ACCEPT_MS),
    connectionTimeoutMillis: ACCEPT_MS,
    keepAlive: true,
  });
  // A dropped connection is replaced at the next call; unheard, it would end the process.
  pool.on('error', error => log.warn({ err: error }, 'a connection for accepting was lost'));
  return pool;
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
