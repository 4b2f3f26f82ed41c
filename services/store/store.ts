import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import pg, { type Pool, type PoolClient } from 'pg';
import type { Logger } from 'pino';
import { targetOf } from './hosts.ts';
import { migrateDatabase } from './migrating.ts';
import { createOrm, STATEMENT_MS } from './orm.ts';
import { type CommitSetting, commitsOf, session } from './session.ts';
import { endSilentConnections } from './silence.ts';

/** The database: entities through `orm`, the few hot statements through `pool`. Both share the same connections. */
export interface Store {
  orm: MikroORM;
  pool: Pool;
  /**
   * Connections for accepting alone: whatever the rest does, a call finds one. Its statements time out before the
   * caller is told that the call was not accepted, so that a call answered with 503 is not stored a moment later;
   * except for a commit that waits for a standby, which no time limit of Postgres ends.
   */
  accepting: Pool;
  /**
   * Connections for the engine alone, so that readers, however many, never keep calls from being applied and messages
   * from being sent. Pipelined: statements of a transaction that do not depend on each other's answers may be sent
   * together.
   */
  working: Pool;
  close(): Promise<void>;
}

/**
 * Brings the database up to date and connects. Both are postgres:// URLs: `migrateUrl` of the owner of the tables,
 * `url` of the role the product runs as, the same or another one. Throws MigrationFault, and the driver's error if the
 * database cannot be reached.
 */
export async function openStore(url: string, log: Logger, migrateUrl = url): Promise<Store> {
  const commits = await commitsOf(url);
  await migrateDatabase(migrateUrl, url, log);
  const orm = await createOrm(url, log, session(STATEMENT_MS, commits));
  try {
    const pool: Pool = await (await connect(orm)).getNativeClient();
    const accepting = poolOf(url, log, { max: 3, statementMs: ACCEPT_MS, commits });
    const working = poolOf(url, log, { max: 6, statementMs: STATEMENT_MS, commits, pipeline: true });
    for (const each of [pool, accepting, working]) endSilentConnections(each, url, log);
    return {
      orm,
      pool,
      accepting,
      working,
      async close() {
        await accepting.end();
        await working.end();
        await orm.close(true);
        // A mapper that was never used leaves the pool it created open.
        if (!pool.ending) await pool.end();
      },
    };
  } catch (error) {
    await orm.close(true);
    throw error;
  }
}

/**
 * Returns a manager that reads and writes rows within the transaction of `client`, which is one of the mapper's own
 * connections. It ends with that transaction, which inTransaction (statement.ts) commits, because only that sees a
 * standby's warning.
 */
export function managerWithin(orm: MikroORM, client: PoolClient): EntityManager {
  const em = orm.em.fork();
  const context = {
    async executeQuery({ sql }: { sql: string }) {
      const { rows, rowCount } = await client.query(sql);
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
    },
  };
  em.setTransactionContext(context as never);
  return em;
}

/**
 * How long the accept statement may take, in milliseconds: including its wait before, less than a caller waits for it.
 */
const ACCEPT_MS = 1_200;

/** How long connecting may take, in milliseconds. */
const CONNECT_MS = 2_000;

function poolOf(
  url: string,
  log: Logger,
  {
    max,
    statementMs,
    commits,
    pipeline = false,
  }: { max: number; statementMs: number; commits: CommitSetting; pipeline?: boolean },
): Pool {
  const pool = new pg.Pool({
    ...targetOf(url),
    max,
    options: session(statementMs, commits, 'by_index'),
    connectionTimeoutMillis: Math.min(statementMs, CONNECT_MS),
    keepAlive: true,
    pipeline,
  });
  // A dropped connection is replaced when the next is needed; an unhandled error event would end the process. The pool
  // does not listen to a connection that it has just opened and handed out, and the new holder starts only a moment
  // later.
  pool.on('connect', client => client.on('error', () => {}));
  pool.on('error', error => {
    // A closed pool does not wait for the server to notice: one that stops right then reports it on its connections.
    if (!pool.ending) log.warn({ err: error }, 'a connection to the database was lost');
  });
  return pool;
}

async function connect(orm: MikroORM) {
  const connection = orm.em.getConnection();
  await connection.connect();
  return connection;
}
