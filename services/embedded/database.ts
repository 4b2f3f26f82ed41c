import { join } from 'node:path';
import { Client } from 'pg';
import { faultCode, StartError } from '../process/start-errors.ts';
import { PRODUCT_ROLE, ROLE } from './cluster.ts';

/** How to reach a cluster's server. */
export interface DatabaseAccess {
  /** THIS_MACHINE, or the folder of its Unix socket. */
  host: string;
  port: number;
  /** Of the role that connects, by default ROLE. */
  password: string;
}

/** The database that contains everything of Tocsin. */
const DATABASE = 'tocsin';

export const THIS_MACHINE = '127.0.0.1';

/** The name of a server's Unix socket in its folder begins with this; its port follows. */
export const SOCKET_FILE = '.s.PGSQL.';

/** The longest path of a Unix socket that Linux takes, in bytes. */
const LONGEST_SOCKET = 107;

/** Returns the postgres:// URL of the product's database for one of its roles. */
export function databaseUrl(role: typeof ROLE | typeof PRODUCT_ROLE, { host, port, password }: DatabaseAccess): string {
  return `postgres://${role}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${DATABASE}`;
}

/**
 * Returns where the server on a cluster is reached best: by its Unix socket, which costs both sides a tenth less than TCP
 * does, or by TCP, where it has none or the path is too long for one.
 */
export async function bestHost(cluster: string, access: Omit<DatabaseAccess, 'host'>): Promise<string> {
  if (Buffer.byteLength(join(cluster, `${SOCKET_FILE}${access.port}`)) > LONGEST_SOCKET) return THIS_MACHINE;
  const answer = await askForFolder({ ...access, host: cluster });
  return answer.kind === 'serves' && answer.folder === cluster ? cluster : THIS_MACHINE;
}

/** A server's answer to which data folder it serves: the real path, or why it does not say. */
export type ServerAnswer = { kind: 'serves'; folder: string } | { kind: 'wrong_password' | 'no_answer' };

export async function askForFolder(access: DatabaseAccess): Promise<ServerAnswer> {
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
 * Creates the product's database and role if they are missing, and sets the password of that role. Throws StartError if
 * the password does not match the data.
 */
export async function ensureDatabase(access: DatabaseAccess, productPassword: string): Promise<void> {
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

/** The role may see what else runs on this server, because that can keep Postgres from vacuuming too. */
async function ensureProductRole(client: Client, password: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [PRODUCT_ROLE]);
  const word = rowCount === 0 ? 'CREATE' : 'ALTER';
  await client.query(`${word} ROLE ${PRODUCT_ROLE} LOGIN NOSUPERUSER PASSWORD ${client.escapeLiteral(password)}`);
  await client.query(`GRANT pg_read_all_stats TO ${PRODUCT_ROLE}`);
}

async function ask<T>(access: DatabaseAccess, question: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    host: access.host,
    port: access.port,
    user: ROLE,
    password: access.password,
    database: 'postgres',
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
  });
  // A stopping server ends the connection; the pending query reports that.
  client.on('error', () => {});
  await client.connect();
  try {
    return await question(client);
  } finally {
    await client.end();
  }
}
