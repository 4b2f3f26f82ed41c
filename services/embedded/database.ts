import { Client } from 'pg';
import { faultCode, StartError } from '../process/start-errors.ts';
import { PRODUCT_ROLE, ROLE } from './cluster.ts';

/** How to reach a cluster's server on 127.0.0.1. */
export interface Access {
  port: number;
  /** Of the role that connects: ROLE, where nothing else is said. */
  password: string;
}

/** The database that holds everything of Tocsin. */
const DATABASE = 'tocsin';

/** The postgres:// URL of the product's database, for one of its roles. */
export function databaseUrl(role: typeof ROLE | typeof PRODUCT_ROLE, { port, password }: Access): string {
  return `postgres://${role}:${encodeURIComponent(password)}@127.0.0.1:${port}/${DATABASE}`;
}

/** What a server says when asked for the data folder that it serves: its real path, or why it does not say. */
export type Answer = { kind: 'serves'; folder: string } | { kind: 'wrong_password' | 'no_answer' };

export async function askForFolder(access: Access): Promise<Answer> {
  try {
    return await ask(access, async client => {
      const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
      return { kind: 'serves', folder: rows[0]?.data_directory ?? '' };
    });
  } catch (fault) {
    return { kind: faultCode(fault) === WRONG_PASSWORD ? 'wrong_password' : 'no_answer' };
  }
}

const WRONG_PASSWORD = '28P01';

/**
 * Makes the product's database and role where they are missing, as in folders of the first version, and gives that role its
 * password. Throws StartError when the password is not that of the data.
 */
export async function ensureDatabase(access: Access, productPassword: string): Promise<void> {
  try {
    await ask(access, async client => {
      const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
      await ensureProductRole(client, productPassword);
    });
  } catch (fault) {
    if (faultCode(fault) !== WRONG_PASSWORD) throw fault;
    throw new StartError(
      'The password in postgres.json in DATA_DIR is not that of the data: put the file back as it was.',
    );
  }
}

/** What others do on this server keeps Postgres from cleaning up too: it may see that. */
async function ensureProductRole(client: Client, password: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [PRODUCT_ROLE]);
  const word = rowCount === 0 ? 'CREATE' : 'ALTER';
  await client.query(`${word} ROLE ${PRODUCT_ROLE} LOGIN NOSUPERUSER PASSWORD ${client.escapeLiteral(password)}`);
  await client.query(`GRANT pg_read_all_stats TO ${PRODUCT_ROLE}`);
}

async function ask<T>(access: Access, question: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    host: '127.0.0.1',
    port: access.port,
    user: ROLE,
    password: access.password,
    database: 'postgres',
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
  });
  // A server that stops ends the connection; the question that waits on it is what fails.
  client.on('error', () => {});
  await client.connect();
  try {
    return await question(client);
  } finally {
    await client.end();
  }
}
