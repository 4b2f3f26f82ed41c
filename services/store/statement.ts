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

const PLAIN = { text: '', read: () => undefined };

/** The connection was lost while it committed: whether all of it is stored or nothing is not known. */
export class CommitLost extends Error {
  override readonly name = 'CommitLost';
}

/**
 * Runs `work` in one transaction on one connection: committed when it resolves, rolled back when it throws, but for
 * CommitLost. A connection that cannot even roll back is thrown away. `begun`: what is said besides, in one breath with the
 * BEGIN, and its answer.
 */
export async function inTransaction<T, Begun = unknown>(
  pool: Pool,
  work: (client: PoolClient, begun: Begun) => Promise<T>,
  begun: { text: string; read: (rows: Record<string, unknown>[]) => Begun } = PLAIN as never,
): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  // A session that ends between two statements (this process stood still for too long) says so to whoever holds it: unheard,
  // it would end the process. The next statement fails.
  const lost = () => {
    broken = true;
  };
  client.on('error', lost);
  try {
    const answers = [await client.query(`BEGIN${begun.text}`)].flat() as { rows: Record<string, unknown>[] }[];
    const result = await work(client, begun.read(answers.at(-1)!.rows));
    await client.query('COMMIT').catch(commitFault);
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.off('error', lost);
    client.release(broken);
  }
}

/** What Postgres itself refuses (a SQLSTATE, such as a deferred constraint's) is not stored. */
function commitFault(cause: unknown): never {
  const { code } = cause as { code?: unknown };
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) throw cause;
  throw new CommitLost('The connection was lost while it committed.', { cause });
}

/** Runs `work` within the transaction that is open: when it throws, only what it did is rolled back. */
export async function inSavepoint<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query('SAVEPOINT attempt');
  try {
    const result = await work();
    await client.query('RELEASE SAVEPOINT attempt');
    return result;
  } catch (error) {
    await client.query('ROLLBACK TO SAVEPOINT attempt');
    throw error;
  }
}
