import pg, { type Pool } from 'pg';
import { newId } from '../../services/store/id.ts';
import { deploymentTime } from '../../services/store/schema/clock.ts';

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

/** The URL of the same database over TCP, for what stands between the product and its database. */
export function overTcp(url: string): string {
  const there = new URL(url);
  there.hostname = '127.0.0.1';
  return there.href;
}

export async function dropDatabase(url: string, name: string): Promise<void> {
  // A pool has ended before its connections have: one that the server ends first throws where nobody listens any more.
  await onServer(
    url,
    `DO $$ BEGIN
      FOR tries IN 1..30 LOOP
        EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '${name}');
        PERFORM pg_sleep(0.01);
        PERFORM pg_stat_clear_snapshot();
      END LOOP;
    END $$`,
  );
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

/**
 * Gives a database a function `test_reset()` that brings all of its rows back to what they are now, so that a test can have a database
 * that another test used before. Called as a superuser: rows go in any order, past foreign keys and triggers.
 */
export async function resettable(on: Pool): Promise<void> {
  const { rows: tables } = await on.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition",
  );
  const filled: typeof tables = [];
  for (const table of tables) {
    const { rowCount } = await on.query(`SELECT FROM public.${table.name} LIMIT 1`);
    if (rowCount !== 0) filled.push(table);
  }
  await on.query('CREATE SCHEMA kept');
  for (const { name } of filled) await on.query(`CREATE TABLE kept.${name} AS TABLE public.${name}`);
  const statements = [
    ...tables.map(({ name }) => `DELETE FROM public.${name};`),
    ...filled.map(({ name }) => `INSERT INTO public.${name} OVERRIDING SYSTEM VALUE SELECT * FROM kept.${name};`),
  ];
  await on.query(
    `CREATE FUNCTION test_reset() RETURNS void LANGUAGE plpgsql SET session_replication_role = replica SET lock_timeout = '1s'
     AS $$ BEGIN ${statements.join('\n')} END $$`,
  );
}

/** Gives a database of `moveableClock` the deployment's own time back, over a clock of the database that a test sets. */
export async function settableClock(on: Pool): Promise<void> {
  await on.query(
    'CREATE OR REPLACE FUNCTION tocsin_wall() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT at FROM test_clock $$',
  );
  await on.query('DROP FUNCTION IF EXISTS test_reset()');
  await on.query(deploymentTime());
}

/** Moves the clock on by so many seconds, or back. */
export async function advanceClock(on: Pool | pg.Client, seconds: number): Promise<void> {
  await on.query('UPDATE test_clock SET at = at + make_interval(secs => $1)', [seconds]);
}

/** Moves the clock on while nobody can read it; `meanwhile` moves what else counts time, or looks at what time passes for. */
export async function passTimeTogether(
  on: Pool,
  seconds: number,
  meanwhile: (on: pg.PoolClient) => unknown,
): Promise<void> {
  const client = await on.connect();
  try {
    await client.query('BEGIN; LOCK TABLE test_clock');
    await advanceClock(client as unknown as pg.Client, seconds);
    await meanwhile(client);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

/** Connections that may be cut: databases of tests are dropped under them. */
export function patientPool(url: string): Pool {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  pool.on('connect', client => client.on('error', () => {}));
  pool.on('error', () => {});
  return pool;
}
