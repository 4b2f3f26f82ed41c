import { Code, ConnectError } from '@connectrpc/connect';
import type { CarriersSetUp } from '../channels/described.ts';
import { type BackupSchedule, nextBackupAt } from '../domain/backup.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import { readBackups } from '../store/statements/backups.ts';
import type { Store } from '../store/store.ts';

/** The backups that a deployment makes by itself, as they are set up now. */
export interface BackupsOfDeployment {
  /** Null: none is made. */
  now(): PlannedBackups | null;
  /** Begins one beside the schedule. */
  backUp(): void;
  /** The settings that stand in the environment, by name: where there are any, those count alone. */
  environment: readonly string[];
  /** Counts what was stored, as far as this process goes by it: whoever changes that, changes what they saw. */
  version(): number;
  setIn(): 'environment' | 'console' | 'nowhere';
  /** Why what is stored counts for nothing, in words; null: it counts, or nothing is stored. */
  leftOut(): string | null;
}

interface PlannedBackups extends BackupSchedule {
  /** Absolute path of the folder they go to. */
  folder: string;
  /** The secrets that they do not hold, by setting. */
  secretsApart: readonly string[];
}

/** Returns how the backups go, and where they are set up, for the operator (DECISIONS.md "Scheduled backups"). */
export async function backupsView(
  { pool }: Pick<Store, 'pool'>,
  backups: BackupsOfDeployment,
  taken: CarriersSetUp['taken'],
) {
  const setIn = backups.setIn();
  const setting = {
    setIn: setIn === 'nowhere' ? '' : setIn,
    environment: [...backups.environment],
    version: backups.version(),
    refused: taken === 'refused',
    leftOut: say().faults(backups.leftOut() ?? ''),
  };
  const planned = backups.now();
  return planned === null ? { state: 'not_set', ...setting } : { ...setting, ...(await goingOn(pool, planned)) };
}

async function goingOn(pool: Store['pool'], { folder, everyS, keep, secretsApart }: PlannedBackups) {
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
    nextAt: protoTime(Math.max(now, nextBackupAt({ triedAt, outcome }, { everyS, keep }))),
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
