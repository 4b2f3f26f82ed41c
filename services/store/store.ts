import type { MikroORM } from '@mikro-orm/postgresql';
import pg, { type Pool } from 'pg';
import type { Logger } from 'pino';
import { LOCKS, underLock } from './lock.ts';
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

/**
 * Connects and brings the schema up to date. `url` is a postgres:// URL. Throws the driver's error when the database
 * cannot be reached.
 */
export async function openStore(url: string, log: Logger): Promise<Store> {
  const orm = await createOrm(url, log);
  try {
    const pool: Pool = await (await connect(orm)).getNativeClient();
    // Two processes that start together migrate one after the other.
    await underLock(pool, LOCKS.migration, () => orm.migrator.up());
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
