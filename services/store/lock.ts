import type { Pool, PoolClient } from 'pg';

/** What only one process at a time may do. Any numbers; the same in every version, so that old and new wait for each other. */
export const LOCKS = {
  migration: 7_206_811_043,
  firstStart: 7_206_811_044,
  /** Held for the one statement that accepts a group of calls. */
  accept: 7_206_811_045,
  /** Held for each transaction that applies the journal. */
  apply: 7_206_811_046,
  /** Held for each transaction that applies what is queued. */
  applyQueue: 7_206_811_047,
  /** Held for each transaction that removes what is too old. */
  retention: 7_206_811_048,
} as const;

/** Does `work` while no other process does what bears this number. A process that dies lets go. */
export async function underLock<T>(pool: Pool, lock: number, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client: PoolClient = await pool.connect();
  // Unheard, the end of its session would end the process. The next statement fails.
  client.on('error', () => {});
  try {
    // Another process may hold it for longer than a statement may usually wait.
    await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
    await client.query('SELECT pg_advisory_lock($1)', [lock]);
    return await work(client);
  } finally {
    // With its connection the lock is gone.
    client.release(true);
  }
}
