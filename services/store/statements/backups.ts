import { LOCKS } from '../lock.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/** How the backups of a database go. Times are milliseconds since 1970. */
export interface BackupState {
  /** Part of the names of its files. */
  label: string;
  /** How many were begun. */
  tries: string;
  /** When the latest began; null: none ever did. */
  triedAt: number | null;
  /** Why the latest failed, a sentence; null: it did not. */
  failure: string | null;
  /** The latest that succeeded; null: none ever did. */
  made: MadeBackup | null;
  /** Whether one is being made right now, by this process or another. */
  underWay: 'yes' | 'no';
  now: number;
}

export interface MadeBackup {
  /** When it began. */
  at: number;
  /** Absolute path. */
  file: string;
  /** The name of the machine that it is on. */
  machine: string;
  bytes: number;
  rows: number;
  seconds: number;
}

const MS = (time: string) => `(extract(epoch FROM ${time}) * 1000)::float8`;

const readStatement: Statement<BackupState> = {
  name: 'read_backups',
  text: `
SELECT label, tries::text AS tries, ${MS('tried_at')} AS "triedAt", failure, ${MS('tocsin_now()')} AS now,
  CASE WHEN made_at IS NOT NULL THEN json_build_object('at', ${MS('made_at')}, 'file', file, 'machine', machine,
    'bytes', bytes, 'rows', row_count, 'seconds', seconds) END AS made,
  CASE WHEN EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND (classid::bigint << 32) | objid::bigint = ${LOCKS.backup}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
  THEN 'yes' ELSE 'no' END AS "underWay"
FROM backup_state`,
};

export async function readBackups(db: Connection): Promise<BackupState> {
  return (await run(db, readStatement, []))[0]!;
}

/** $1 tries, as read; $2 what it is called where it never ends. */
const beginStatement: Statement<{ at: number }> = {
  name: 'begin_backup',
  text: `
UPDATE backup_state SET tries = tries + 1, tried_at = tocsin_now(), failure = $2 WHERE tries = $1::bigint
RETURNING ${MS('tried_at')} AS at`,
};

/**
 * Notes that a backup begins, and returns when that is; null if another process began one since `tries` was read. Until its
 * end is noted it counts as failed for the reason `failure`: its process may die.
 */
export async function noteBackupBegun(db: Connection, tries: string, failure: string): Promise<number | null> {
  return (await run(db, beginStatement, [tries, failure]))[0]?.at ?? null;
}

const madeStatement: Statement<never> = {
  name: 'backup_made',
  text: `
UPDATE backup_state SET failure = NULL, made_at = tried_at, file = $1, machine = $2, bytes = $3, row_count = $4, seconds = $5`,
};

export async function noteBackupMade(db: Connection, made: Omit<MadeBackup, 'at'>): Promise<void> {
  await run(db, madeStatement, [made.file, made.machine, made.bytes, made.rows, made.seconds]);
}

const failedStatement: Statement<never> = {
  name: 'backup_failed',
  text: 'UPDATE backup_state SET failure = $1',
};

export async function noteBackupFailed(db: Connection, failure: string): Promise<void> {
  await run(db, failedStatement, [failure]);
}

const takenBackStatement: Statement<never> = {
  name: 'backup_taken_back',
  text: 'UPDATE backup_state SET failure = $1, tried_at = to_timestamp($2::float8 / 1000)',
};

/** Notes that the latest was given up by its own process and is to count as never begun. */
export async function takeBackupBack(db: Connection, before: Pick<BackupState, 'failure' | 'triedAt'>): Promise<void> {
  await run(db, takenBackStatement, [before.failure, before.triedAt]);
}

const relabelStatement: Statement<never> = {
  name: 'relabel_backups',
  text: "UPDATE backup_state SET label = substr(replace(gen_random_uuid()::text, '-', ''), 1, 8)",
};

/** Names the files of later backups as those of another database: a copy removes none of the original. */
export async function relabelBackups(db: Connection): Promise<void> {
  await run(db, relabelStatement, []);
}
