import { Client, type ClientBase, type Pool, type PoolClient, types } from 'pg';

/** Something that runs statements: the pool, or a connection. */
export type Connection = Pool | ClientBase;

/**
 * One of the few hot statements. Prepared under its name once per connection, so that Postgres plans it once and values
 * never travel as text. `Row` is the type of its result rows.
 */
export interface Statement<Row> {
  name: string;
  text: string;
  /** Only for the type checker. */
  row?: Row;
}

/** Runs a statement with bound values. */
export async function run<Row>(db: Connection, statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
  // Use the driver's own types, not the mapper's: timestamps arrive as Date.
  const result = await db.query({ name: statement.name, text: statement.text, values: [...values], types });
  return result.rows as Row[];
}

const PLAIN = { text: '', read: () => undefined };

/**
 * It is unknown whether a commit is stored: the connection was lost meanwhile, or Postgres warned that a required
 * standby may lack it, so that a failover would lose it.
 */
export class CommitLost extends Error {
  override readonly name = 'CommitLost';
}

/**
 * Runs a statement as a transaction of its own: when it returns, it is committed, including on all standbys that
 * Postgres waits for. Throws CommitLost if that is unknown; it may be stored nevertheless.
 */
export function runAlone<Row>(db: Connection, statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
  return onConnection(db, client => replicated(client, () => run(client, statement, values)));
}

/**
 * Runs `work` in one transaction on one connection: commits when it resolves and rolls back when it throws, except for
 * CommitLost. A connection that cannot even roll back is discarded. `begun`: a query to send along with BEGIN, and a
 * handler for its answer.
 */
export function inTransaction<T, Begun = unknown>(
  db: Connection,
  work: (client: PoolClient, begun: Begun) => Promise<T>,
  begun: { text: string; read: (rows: Record<string, unknown>[]) => Begun } = PLAIN as never,
): Promise<T> {
  return onConnection(db, async (client, discard) => {
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

/** Runs `work` in one transaction that is rolled back whatever it did: others never see any of it. */
export function rolledBack<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return onConnection(pool, async (client, discard) => {
    try {
      await client.query('BEGIN');
      return await work(client);
    } finally {
      await client.query('ROLLBACK').catch(discard);
    }
  });
}

/**
 * Lends a connection of the pool to `work`. A connection that `work` discards, or that was lost meanwhile, is closed. A
 * connection that somebody else keeps is left to them.
 */
async function onConnection<T>(
  db: Connection,
  work: (client: PoolClient, discard: () => void) => Promise<T>,
): Promise<T> {
  if (db instanceof Client) return work(db as PoolClient, () => {});
  const client = await (db as Pool).connect();
  let broken = false;
  const discard = () => {
    broken = true;
  };
  // A session may end between two statements if this process stood still for too long. An unhandled error event would
  // end the process. The next statement reports it.
  client.on('error', discard);
  try {
    return await work(client, discard);
  } finally {
    client.off('error', discard);
    client.release(broken);
  }
}

/**
 * The routine in Postgres that warns when the wait for a standby was cut short by an operator or a shutdown: committed
 * here, maybe not there. The text of the warning is in the server's language, and its SQLSTATE (01000 or 57P01) is
 * shared with other warnings.
 */
const CUT_SHORT = 'SyncRepWaitForLSN';

/** Throws CommitLost if `commit` returned with that warning; what it committed stays committed. */
async function replicated<T>(client: ClientBase, commit: () => Promise<T>): Promise<T> {
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

/** Returns the SQLSTATE of a fault of Postgres; empty for any other fault, such as a lost connection. */
export function sqlStateOf(fault: unknown): string {
  const code = (fault as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : '';
}

/** Tells whether Postgres refused what a statement says (SQLSTATE classes 22, 23, 42), so that trying again would not help. */
export function isRefusedForGood(fault: unknown): boolean {
  return /^(22|23|42)/.test(sqlStateOf(fault));
}

/** What Postgres itself refuses (such as for a deferred constraint) is not stored. */
function commitFault(cause: unknown): never {
  if (sqlStateOf(cause) !== '') throw cause;
  throw new CommitLost('The connection was lost while it committed.', { cause });
}

/** Runs `work` in a savepoint of the open transaction: if it throws, only its own changes are rolled back. */
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
