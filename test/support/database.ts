import pg, { type Pool } from 'pg';

/** The migrated database that others are copied from. */
export const TEMPLATE = 'tocsin_template';

/** Makes a database on the server of `url` and gives its URL. */
export async function makeDatabase(url: string, database: { name: string; from: string }): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${database.name} TEMPLATE ${database.from}`);
  } finally {
    await client.end();
  }
  return databaseOn(url, database.name);
}

/** The URL of a database on the server of `url`. */
export function databaseOn(url: string, name: string): string {
  const there = new URL(url);
  there.pathname = `/${name}`;
  return there.href;
}

export async function dropDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await client.end();
}

/**
 * Replaces the product's one clock by one that stands still until a test moves it, so that "the last moment before the
 * window ends" is a moment that a test can name.
 */
export async function moveableClock(on: Pool | pg.Client): Promise<void> {
  await on.query("CREATE TABLE test_clock AS SELECT timestamptz '2026-01-15 20:00:00Z' AS at");
  await on.query(
    'CREATE OR REPLACE FUNCTION tocsin_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT at FROM test_clock $$',
  );
}

/** Moves the clock on by so many seconds. It never goes back. */
export async function advanceClock(on: Pool | pg.Client, seconds: number): Promise<void> {
  await on.query('UPDATE test_clock SET at = at + make_interval(secs => $1)', [seconds]);
}
