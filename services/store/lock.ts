import type { Pool, PoolClient } from 'pg';

/**
 * Keys of advisory locks. The numbers are arbitrary but the same in every version, so that old and new wait for each
 * other.
 */
export const LOCKS = {
  migration: 7_206_811_043,
  firstStart: 7_206_811_044,
  /** Held by the one statement that accepts a group of calls. */
  accept: 7_206_811_045,
  /** Held by each transaction that applies the journal. */
  apply: 7_206_811_046,
  /** Held by each transaction that applies what is queued. */
  applyQueue: 7_206_811_047,
  /** Held by each transaction that removes what is too old. */
  retention: 7_206_811_048,
  /** Held by a backup while it runs. */
  backup: 7_206_811_049,
  /** Held by each transaction that moves what is stored to another DATA_KEY or KEY_PEPPER. */
  rotation: 7_206_811_050,
  /** Held by each transaction that plans drills. */
  drills: 7_206_811_051,
  /** Held by each transaction that judges which senders are silent. */
  senders: 7_206_811_052,
} as const;

/** Runs `work` while no other process holds the lock. A process that dies releases it. */
export async function underLock<T>(pool: Pool, lock: number, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client: PoolClient = await pool.connect();
  // An unhandled error event at the end of the session would end the process. The next statement reports it.
  client.on('error', () => {});
  try {
    // Another process may hold the lock for longer than the usual statement timeout.
    await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
    await client.query('SELECT pg_advisory_lock($1)', [lock]);
    return await work(client);
  } finally {
    // Closing the connection releases the lock.
    client.release(true);
  }
}
