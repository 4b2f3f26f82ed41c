import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { inject } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { openStore, type Store } from '../../services/store/store.ts';
import { dropDatabase, makeDatabase, TEMPLATE } from './database.ts';

/** A store on a database that no other test uses meanwhile, and that is as empty as a new one. */
interface LentStore {
  name: string;
  databaseUrl: string;
  store: Store;
  /** To be called once nothing else uses the store. */
  giveBack(): Promise<void>;
}

/** What is not worth emptying row by row, in bytes of the whole database beyond what it had. */
const GROWN = 4_000_000;

const free: LentStore[] = [];

/**
 * Lends a store. To make one is most of what a short test costs, so the tests of a file use the same database one after the
 * other; what a test altered, filled or keeps locked is thrown away.
 */
export async function lendStore(log: Logger): Promise<LentStore> {
  return free.pop() ?? (await make(log));
}

async function make(log: Logger): Promise<LentStore> {
  const name = `world_${newId()}`;
  const databaseUrl = await makeDatabase(inject('postgresUrl'), { name, from: TEMPLATE });
  const store = await openStore(databaseUrl, log);
  const made = await shape(store.pool);
  const lent: LentStore = {
    name,
    databaseUrl,
    store,
    async giveBack() {
      if (await isAsNew(store.pool, made).catch(() => false)) free.push(lent);
      else await discard(lent);
    },
  };
  return lent;
}

async function discard({ store, name }: LentStore): Promise<void> {
  await store.close();
  await dropDatabase(inject('postgresUrl'), name);
}

interface Shape {
  schema: string;
  bytes: number;
}

/** Empties the database, unless it is no longer the one that was made. */
async function isAsNew(pool: Pool, made: Shape): Promise<boolean> {
  const { schema, bytes } = await shape(pool);
  if (schema !== made.schema || bytes > made.bytes + GROWN) return false;
  await pool.query('SELECT test_reset()');
  return true;
}

async function shape(pool: Pool): Promise<Shape> {
  const { rows } = await pool.query<Shape>(`
    SELECT pg_database_size(current_database())::float8 AS bytes, concat_ws(' ',
      (SELECT concat(count(*), ':', max(xmin::text::int8)) FROM pg_attribute),
      (SELECT concat(count(*), ':', max(xmin::text::int8)) FROM pg_proc),
      (SELECT concat(count(*), ':', max(xmin::text::int8)) FROM pg_trigger),
      (SELECT concat(count(*), ':', max(xmin::text::int8)) FROM pg_constraint),
      (SELECT count(*) FROM pg_index),
      (SELECT string_agg(setconfig::text, ' ') FROM pg_db_role_setting WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()))
    ) AS schema`);
  return rows[0]!;
}
