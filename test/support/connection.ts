import pg from 'pg';
import { onTestFinished } from 'vitest';

/** A connection of the test's own, for locks and for transactions that stay open; it ends with the test. */
export async function connection(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
