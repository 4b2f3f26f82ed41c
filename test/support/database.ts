import pg, { type Pool } from 'pg';
import { newId } from '../../services/store/id.ts';

/** The migrated database that others are copied from. */
export const TEMPLATE = 'tocsin_template';

/** Makes a database on the server of `url` and gives its URL. */
export async function makeDatabase(url: string, database: { name: string; from: string }): Promise<string> {
  await onServer(url, `CREATE DATABASE ${database.name} TEMPLATE ${database.from}`);
  return databaseOn(url, database.name);
}

/** The URL of a database on the server of `url`. */
export function databaseOn(url: string, name: string): string {
  const there = new URL(url);
  there.pathname = `/${name}`;
  return there.href;
}

export async function dropDatabase(url: string, name: string): Promise<void> {
  await onServer(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

/** Makes a role that owns nothing and may nothing yet, and gives the URL at which it finds the database of `url`. */
export async function makeProductRole(url: string): Promise<string> {
  const there = new URL(url);
  there.username = `product_${newId()}`;
  there.password = newId();
  await onServer(url, `CREATE ROLE ${there.username} LOGIN PASSWORD '${there.password}'`);
  return there.href;
}

/** Drops a role once every database that granted it anything is gone. */
export async function dropRole(url: string, name: string): Promise<void> {
  await onServer(url, `DROP ROLE IF EXISTS ${name}`);
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
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
