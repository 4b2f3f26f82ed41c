import { type Pool, type PoolClient, types } from 'pg';

/** Something that runs statements: the pool, or the one connection of a transaction. */
export type Connection = Pool | PoolClient;

/**
 * One of the few hot statements. Prepared under its name, once a connection, so that Postgres plans it once and values
 * never travel as text; `Row` is what it gives.
 */
export interface Statement<Row> {
  name: string;
  text: string;
  /** Only for the type checker. */
  row?: Row;
}

/** Runs a statement with bound values. */
export async function run<Row>(on: Connection, statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
  // The driver's own types, not the mapper's: timestamps arrive as Date.
  const result = await on.query({ name: statement.name, text: statement.text, values: [...values], types });
  return result.rows as Row[];
}

/** The connection was lost while it committed: whether all of it is stored or nothing is not known. */
export class CommitLost extends Error {
  override readonly name = 'CommitLost';
}

/**
 * Runs `work` in one transaction on one connection: committed when it resolves, rolled back when it throws, but for
 * CommitLost. A connection that cannot even roll back is thrown away.
 */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT').catch(commitFault);
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** What Postgres itself refuses (a SQLSTATE, such as a deferred constraint's) is not stored. */
function commitFault(cause: unknown): never {
  const { code } = cause as { code?: unknown };
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) throw cause;
  throw new CommitLost('The connection was lost while it committed.', { cause });
}
