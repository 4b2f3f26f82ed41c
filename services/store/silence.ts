import type { Socket } from 'node:net';
import pg, { type Pool, type PoolClient } from 'pg';
import type { Logger } from 'pino';
import { targetOf } from './hosts.ts';

/**
 * In milliseconds: how long a connection may owe an answer before the server is asked about it, how often that is
 * checked, and how long each step of asking may take. A machine that lost its power is given up within 5 s.
 */
const SILENT_MS = 2_000;
const LOOK_EVERY_MS = 500;
const ASK_MS = 1_000;

/** The parts of a pg connection that its types leave out. */
interface Line {
  /** False while a statement waits for its answer. */
  readyForQuery: boolean;
  processID: number | null;
  connection: { stream: Socket };
}

/** What was last received on a connection, in bytes, and since when nothing more was, by the clock of `performance`. */
interface Heard {
  bytes: number;
  since: number;
}

/**
 * Closes connections of a pool that went silent: the server lost its power, or a network in between drops packets. TCP
 * would take minutes to notice, and until then every loop that waits for an answer would stand still. A server that
 * just takes its time (a long statement, a commit that waits for a standby) is asked over another connection, and the
 * connection is kept. Ends with the pool.
 */
export function endSilentConnections(pool: Pool, url: string, log: Logger): void {
  const heard = new Map<PoolClient, Heard>();
  const asking = new Set<PoolClient>();
  pool.on('acquire', client => heard.set(client, { bytes: -1, since: performance.now() }));
  pool.on('remove', client => heard.delete(client));
  const timer = setInterval(() => {
    if (pool.ended) return clearInterval(timer);
    for (const [client, last] of heard) look(client, last);
  }, LOOK_EVERY_MS);
  timer.unref();

  function look(client: PoolClient, last: Heard): void {
    const { readyForQuery, connection } = client as unknown as Line;
    const { bytesRead: bytes } = connection.stream;
    if (readyForQuery || bytes !== last.bytes) heard.set(client, { bytes, since: performance.now() });
    else if (performance.now() - last.since >= SILENT_MS && !asking.has(client)) void ask(client);
  }

  async function ask(client: PoolClient): Promise<void> {
    const { processID, connection } = client as unknown as Line;
    asking.add(client);
    try {
      const answer = await askAfter(url, processID);
      if (answer === 'at_work') heard.set(client, { bytes: connection.stream.bytesRead, since: performance.now() });
      else if (heard.has(client)) {
        log.warn({ session: processID, answer }, 'a connection to the database fell silent and is closed');
        connection.stream.destroy();
      }
    } finally {
      asking.delete(client);
    }
  }
}

/** A pooler has session numbers of its own; it notices by itself when the server is gone. */
const QUESTION = `
SELECT CASE WHEN pg_backend_pid() <> $2::int OR EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1::int AND state <> 'idle')
  THEN 'at_work' ELSE 'gone' END AS answer`;

/** Asks the server what one of its sessions is doing. Never rejects. */
async function askAfter(url: string, session: number | null): Promise<'at_work' | 'gone' | 'no_answer'> {
  const client = new pg.Client({ ...targetOf(url), connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ answer: 'at_work' | 'gone' }>(QUESTION, [
      session,
      (client as unknown as Line).processID,
    ]);
    return rows[0]!.answer;
  } catch (error) {
    // A server that refuses (for lack of connections, say) is alive.
    return error instanceof pg.DatabaseError ? 'at_work' : 'no_answer';
  } finally {
    void client.end().catch(() => {});
  }
}
