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

/**
 * What was committed may be stored or not: the connection was lost meanwhile, or Postgres warned that a standby that has to
 * have it may lack it, so that a failover would lose it.
 */
export class CommitLost extends Error {
  override readonly name = 'CommitLost';
}

/**
 * Runs a statement that is one transaction by itself: when it returns, that is committed, on all standbys too that Postgres
 * waits for. Throws CommitLost where it is not known to be; it may be stored all the same.
 */
export function runAlone<Row>(pool: Pool, statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
  return onConnection(pool, client => replicated(client, () => run(client, statement, values)));
}

/**
 * Runs `work` in one transaction on one connection: committed when it resolves, rolled back when it throws, but for
 * CommitLost. A connection that cannot even roll back is thrown away. `begun`: what is said besides, in one breath with the
 * BEGIN, and its answer.
 */
export function inTransaction<T, Begun = unknown>(
  pool: Pool,
  work: (client: PoolClient, begun: Begun) => Promise<T>,
  begun: { text: string; read: (rows: Record<string, unknown>[]) => Begun } = PLAIN as never,
): Promise<T> {
  return onConnection(pool, async (client, discard) => {
    try {
      const answers = [await client.query(`BEGIN${begun.text}`)].flat() as { rows: Record<string, unknown>[] }[];
      const result = await work(client, begun.read(answers.at(-1)!.rows));
      await replicated(client, () => client.query('COMMIT').catch(commitFault));
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(discard);
      throw error;
    }
  });
}

/** Lends a connection of the pool to `work`. One that `work` discards, or that was lost meanwhile, is thrown away. */
async function onConnection<T>(pool: Pool, work: (client: PoolClient, discard: () => void) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  const discard = () => {
    broken = true;
  };
  // A session that ends between two statements (this process stood still for too long) says so to whoever holds it: unheard,
  // it would end the process. The next statement fails.
  client.on('error', discard);
  try {
    return await work(client, discard);
  } finally {
    client.off('error', discard);
    client.release(broken);
  }
}

/**
 * The place in Postgres that warns when the wait for a standby was cut short, by an operator or a shutdown: committed here,
 * maybe not there. Its text is in the server's language, and its SQLSTATE (01000, or 57P01) is that of other warnings too.
 */
const CUT_SHORT = 'SyncRepWaitForLSN';

/** Throws CommitLost where `commit` came back with that warning; what it committed stays committed. */
async function replicated<T>(client: PoolClient, commit: () => Promise<T>): Promise<T> {
  let warnings = 0;
  const heed = ({ routine }: { routine?: string | undefined }) => {
    if (routine === CUT_SHORT) warnings += 1;
  };
  client.on('notice', heed);
  try {
    const result = await commit();
    if (warnings === 0) return result;
  } finally {
    client.off('notice', heed);
  }
  throw new CommitLost('Postgres committed, but the standby that has to have it may lack it.');
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
