import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg, { type Pool } from 'pg';
import { pino } from 'pino';
import { startEmbedded } from '../../../services/embedded/embedded.ts';

/** The one Postgres that everything that is measured stores its calls in. */
export interface Postgres {
  url: string;
  /** Of the process that all others of the server descend from. */
  pid: number;
  /** A folder for the files of this run; it goes with the server. */
  folder: string;
  /** How many bytes of its log (WAL) were written so far. */
  walBytes(): Promise<number>;
}

/** Starts the Postgres of `npm start` on an empty folder, with room for so many connections of one load. */
export async function startPostgres(running: AsyncDisposableStack, connections: number): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-bench-'));
  running.defer(() => rm(folder, { recursive: true, force: true }));
  // PostgreSQL may run as another user than the bench.
  await chmod(folder, 0o711);
  const places = { dataDir: join(folder, 'data'), shelter: join(folder, 'shelter') };
  const settings = [`max_connections=${connections + OTHERS}`];
  const {
    ownerUrl: url,
    folder: data,
    stop,
  } = await startEmbedded({ ...places, settings, log: pino({ level: 'silent' }) });
  running.defer(stop);
  const pool = openPool(running, url);
  await fillReserve(pool);
  return {
    url,
    pid: Number((await readFile(join(data, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]),
    folder,
    async walBytes() {
      const { rows } = await pool.query("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes");
      return rows[0].bytes;
    },
  };
}

/** How many files of its log the server is given in reserve, 16 MB each. */
const RESERVE = 50;

/**
 * Leaves the server as one that has run for a while: with used files of its log that it writes over. A young one fills each
 * new file with zeros first, for which all commits wait.
 */
async function fillReserve(pool: Pool): Promise<void> {
  for (let file = 0; file < RESERVE; file += 1) {
    await pool.query("SELECT pg_logical_emit_message(false, 'bench', ''), pg_switch_wal()");
  }
  await pool.query('CHECKPOINT');
}

/** Opens the bench's own door to a database. */
export function openPool(running: AsyncDisposableStack, databaseUrl: string): Pool {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  running.defer(() => pool.end());
  return pool;
}

/** Connections of every process of the product, of the hand-written server and of the bench itself. */
const OTHERS = 90;
