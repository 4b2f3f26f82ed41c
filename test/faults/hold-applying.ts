import pg from 'pg';
import { onTestFinished } from 'vitest';
import { LOCKS } from '../../services/store/lock.ts';

/** Keeps accepted calls of a database from being applied, by any process, until the function given is called. */
export async function holdApplying(databaseUrl: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  holder.on('error', () => {
    // The database may be dropped before this connection ends.
  });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('SELECT pg_advisory_lock($1), pg_advisory_lock($2)', [LOCKS.apply, LOCKS.applyQueue]);
  return async () => void (await holder.query('SELECT pg_advisory_unlock_all()'));
}
