import { randomInt } from 'node:crypto';
import type { Pool } from 'pg';
import { restoreUnderWay } from '../backup/tables.ts';
import type { OtherSecrets } from '../embedded/secrets.ts';
import { StartError } from '../process/start-errors.ts';
import { missingRight } from '../store/rights.ts';
import { type ChangingSeal, type Seal, SealFault } from '../store/seal.ts';
import { pepperProof } from '../store/secret.ts';
import { onOwnConnection, session, sessionsOf } from '../store/session.ts';

/*
 * What must hold of a database before anything is answered on it: that a connection keeps its session, that the product has
 * the rights that it needs, that what is committed stays, and that the secrets of this process are those that it was filled with.
 */

/** Whether the start is refused if the server may lose or damage committed data. */
export type Unsafe = 'refused' | 'allowed';

/** Servers that speak PostgreSQL's protocol, call themselves so in `version()`, and are something else. */
const OTHERS = /cockroach|yugabyte|-YB-|redshift|greenplum|materialize|risingwave|opengauss|cratedb/i;

/**
 * Checks that the server is PostgreSQL: accepting and applying stand on its advisory locks. Looks before anything is
 * migrated. Throws StartError.
 */
export async function checkServer(url: string): Promise<void> {
  // What another product may not know is not asked of it.
  const version = await onOwnConnection(url, '-c statement_timeout=2s', async client => {
    return (await client.query<{ version: string }>('SELECT version()')).rows[0]!.version;
  });
  if (!/^PostgreSQL \d/.test(version) || OTHERS.test(version)) throw notPostgres(`itself but "${inOneLine(version)}"`);
  // Whatever ends a session of this role early would end the one that holds the lock.
  const options = session(2_000);
  await onOwnConnection(url, options, async one => {
    const lock = randomInt(2 ** 47);
    // Locks of transactions, so that a pooler in between, which is refused for what it is, does not share a session.
    await one.query('BEGIN');
    await one.query('SELECT pg_advisory_xact_lock($1)', [lock]);
    await onOwnConnection(url, options, async other => {
      await other.query('BEGIN');
      const take = async () =>
        (await other.query<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', [lock])).rows[0]!.got;
      if (await take()) throw notPostgres('in what counts: its advisory locks keep nobody out');
      await one.query('COMMIT');
      if (!(await take())) throw notPostgres('in what counts: its advisory locks are not let go');
    });
  });
}

function notPostgres(why: string): StartError {
  return new StartError(
    `The database of DATABASE_URL is not PostgreSQL ${why}: name a server of PostgreSQL, no other one runs Tocsin.`,
  );
}

/** One line of what a server says of itself. */
function inOneLine(version: string): string {
  return version.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 60);
}

/**
 * Checks that a connection is one session of the server. With a pooler in transaction mode it is not: locks, limits and prepared
 * statements would be lost. Throws StartError.
 */
export async function checkSessions(url: string): Promise<void> {
  if ((await sessionsOf(url)) === 'kept') return;
  throw new StartError(
    'The database of DATABASE_URL does not keep what a session sets, as with PgBouncer in between: name PostgreSQL itself.',
  );
}

/**
 * Checks that no restore is filling the database, and that none was cut short in it: its rows may be those of half a
 * backup. Looks before anything is migrated. Throws StartError.
 */
export async function checkRestored(url: string): Promise<void> {
  if ((await restoreUnderWay(url)) === 'no') return;
  throw new StartError(
    'A restore into this database is under way or was cut short: wait for it, or run "tocsin restore" again.',
  );
}

/**
 * Checks that the product's role has all rights that it needs (DECISIONS.md "Database roles"). Throws StartError that names the
 * missing ones and what to do.
 */
export async function checkRights(pool: Pool): Promise<void> {
  const missing = await missingRight(pool);
  if (missing === null) return;
  throw new StartError(
    missing === 'all'
      ? 'The user of DATABASE_URL finds no tables of Tocsin: DATABASE_URL and MIGRATE_DATABASE_URL have to name the same database.'
      : `The user of DATABASE_URL lacks the right ${missing.right} on "${missing.on}": run "npm run migrate" with MIGRATE_DATABASE_URL set to the owner of the tables, which grants what is needed.`,
  );
}

/** Checks that the server takes writes. Throws the server's error if it does not. */
export async function checkWritable(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ state: string }>("SELECT current_setting('transaction_read_only') AS state");
  if (rows[0]!.state !== 'off') throw Object.assign(new Error('The database takes no writes.'), { code: '25006' });
}

/** Checks that the server keeps what it commits. Throws StartError that names the setting that is wrong. */
export async function checkDurability(pool: Pool, unsafe: Unsafe): Promise<void> {
  const { rows } = await pool.query<{ fsync: string; full_page_writes: string }>(
    "SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes",
  );
  for (const [name, value] of Object.entries(rows[0]!)) {
    if (value === 'on' || unsafe === 'allowed') continue;
    throw new StartError(
      `The database has ${name}=${value}: a power cut may damage all of it. Set it to on, or UNSAFE_DATABASE=allowed where the data may be lost.`,
    );
  }
}

/** The text that is sealed as a proof. It means nothing. */
const WORD = 'tocsin';

/**
 * Checks that this process has the secrets that the data were written with: the first start stores a proof of each, and all
 * others check it. Throws StartError for a wrong one: with another KEY_PEPPER every key would be refused, and with another
 * DATA_KEY nobody would be alerted. One that is named as the other secret (KEY_PEPPER_ALSO, DATA_KEY_ALSO) is right too: from
 * then on the proof is of the secret that this process writes with, and what is stored follows (engine/keep/rotation.ts).
 */
export async function checkSecrets(
  pool: Pool,
  { pepper, also, seal }: { pepper: string; also: Pick<OtherSecrets, 'pepper'>; seal: ChangingSeal },
): Promise<void> {
  const stored = await pool.query<{ name: string; proof: string }>('SELECT name, proof FROM secret_proof');
  const proofs = new Map(stored.rows.map(({ name, proof }) => [name, proof]));
  const digest = pepperProof(pepper);
  const known = [digest, ...(also.pepper === null ? [] : [pepperProof(also.pepper)])];
  if (!known.includes(proofs.get('KEY_PEPPER') ?? digest)) {
    throw new StartError(
      'KEY_PEPPER is not the one that this database was filled with, so every API key and console token would be refused: set the former one, here or as KEY_PEPPER_ALSO.',
    );
  }
  const sealed = proofs.get('DATA_KEY') ?? (await anyAddress(pool));
  if (sealed !== null && !opens(seal, sealed)) {
    throw new StartError(
      'DATA_KEY is not the one that the addresses in this database were sealed with, so nobody could be alerted: set the former one, here or as DATA_KEY_ALSO.',
    );
  }
  const changed = [
    ...(proofs.get('KEY_PEPPER') === digest ? [] : [['KEY_PEPPER', digest] as const]),
    ...(sealed === null || seal.sealedWith(sealed) !== 'this' || !proofs.has('DATA_KEY')
      ? [['DATA_KEY', seal.seal(WORD)] as const]
      : []),
  ];
  for (const proof of changed) {
    await pool.query(
      'INSERT INTO secret_proof (name, proof) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET proof = EXCLUDED.proof',
      [...proof],
    );
  }
}

/** Returns a sealed address to check a database without proofs by; null if it has none. */
async function anyAddress(pool: Pool): Promise<string | null> {
  const { rows } = await pool.query<{ address: string }>('SELECT address FROM contact_channel LIMIT 1');
  return rows[0]?.address ?? null;
}

function opens(seal: Seal, sealed: string): boolean {
  try {
    seal.open(sealed);
    return true;
  } catch (fault) {
    // One damaged address concerns one person only.
    return !(fault instanceof SealFault && /another DATA_KEY/.test(fault.message)) && !isForged(fault);
  }
}

function isForged(fault: unknown): boolean {
  return fault instanceof Error && /unable to authenticate/i.test(fault.message);
}
