import { Code, ConnectError } from '@connectrpc/connect';
import type { Pool } from 'pg';
import { type BackupSchedule, nextBackupAt } from '../domain/backup.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import { readBackups } from '../store/statements/backups.ts';

/** The backups that a deployment makes by itself. */
export interface BackupsOfDeployment extends BackupSchedule {
  /** Absolute path of the folder they go to. */
  folder: string;
  /** The secrets that they do not hold, by setting. */
  secretsApart: readonly string[];
  /** Begins one beside the schedule. */
  now(): void;
}

/** Returns how the backups go, for the operator (DECISIONS.md "Scheduled backups"). */
export async function backupsView(pool: Pool, backups: BackupsOfDeployment | null) {
  if (backups === null) return { state: 'not_set' };
  const { folder, everyS, keep, secretsApart } = backups;
  const { triedAt, failure, made, underWay, now } = await readBackups(pool);
  const outcome = failure === null ? 'made' : 'failed';
  const state = underWay === 'yes' ? 'under_way' : 'waiting';
  // What an attempt under way is called where it never ends is no failure yet.
  const failed = state === 'waiting' && failure !== null && triedAt !== null;
  return {
    state,
    folder,
    everyS,
    keep,
    secretsApart: [...secretsApart],
    nextAt: protoTime(Math.max(now, nextBackupAt({ triedAt, outcome }, backups))),
    ...(made !== null && {
      last: { ...made, at: protoTime(made.at), bytes: BigInt(made.bytes), rows: BigInt(made.rows) },
    }),
    ...(failed && { failure, failedAt: protoTime(triedAt) }),
  };
}

/** The error where no folder is set up. */
export function noBackups(): ConnectError {
  return new ConnectError(say().refusals.noBackups, Code.FailedPrecondition);
}
