import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { IncidentService } from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import { newId } from '../../../services/store/id.ts';
import { createOrm } from '../../../services/store/orm.ts';
import { clockStays, databaseOn, dropDatabase, makeDatabase, moveableClock } from '../../support/database.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The last migration of the version before the journal. */
const LAST_BEFORE = '20261122-reached';

/** A database as the version before the journal left it, with the clock that a test moves. */
export interface OldDatabase {
  name: string;
  url: string;
  rows<Row extends Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Another one with the same content. Nobody else may be connected to this one meanwhile. */
  copy(): Promise<OldDatabase>;
}

/** Makes such databases for the tests of a file. To be called once, at the top of the file. */
export function versionBefore(): { database(): Promise<OldDatabase> } {
  const template = `before_${newId()}`;
  beforeAll(async () => {
    const url = await makeDatabase(inject('postgresUrl'), { name: template, from: 'template0' });
    const orm = await createOrm(url, pino({ level: 'silent' }));
    await orm.migrator.up({ to: LAST_BEFORE });
    await orm.close(true);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await moveableClock(client);
    await clockStays(client);
    await client.end();
  });
  afterAll(() => dropDatabase(inject('postgresUrl'), template));
  return { database: () => copyOf(template) };
}

async function copyOf(from: string): Promise<OldDatabase> {
  const postgresUrl = inject('postgresUrl');
  const name = `upgrade_${newId()}`;
  const url = await makeDatabase(postgresUrl, { name, from });
  onTestFinished(() => dropDatabase(postgresUrl, name));
  let pool: pg.Pool | undefined;
  const leave = async () => {
    await pool?.end();
    pool = undefined;
  };
  onTestFinished(leave);
  return {
    name,
    url,
    async rows(sql, values = []) {
      pool ??= patientPool(url);
      return (await pool.query(sql, values)).rows;
    },
    async copy() {
      await leave();
      return copyOf(name);
    },
  };
}

/** Connections that may be cut: databases of tests are dropped under them. */
export function patientPool(url: string, options = ''): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 8, options });
  pool.on('connect', client => client.on('error', () => {}));
  pool.on('error', () => {});
  return pool;
}

/** Ends a pool that may have ended before. */
export async function endOnce(pool: pg.Pool): Promise<void> {
  if (!pool.ended && !pool.ending) await pool.end();
}

/** Starts the present version on a database of the version before, and asks it on behalf of accounts that were there. */
export async function startNewVersion({ name }: Pick<OldDatabase, 'name'>): Promise<NewVersion> {
  const world = await startWorld({ database: name });
  const client = createClient(IncidentService, createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' }));
  const as = (accountId: string) => ({
    headers: { authorization: `Bearer ${world.operator}`, 'x-tocsin-account': accountId },
  });
  return { world, client, as };
}

export interface NewVersion {
  world: World;
  client: ReturnType<typeof createClient<typeof IncidentService>>;
  /** The headers of a call of the operator's on behalf of an account. */
  as(accountId: string): { headers: Record<string, string> };
}

/** The URL of a database of the server of the tests. */
export function urlOf(name: string): string {
  return databaseOn(inject('postgresUrl'), name);
}
