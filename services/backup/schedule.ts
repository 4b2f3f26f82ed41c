import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type BackupSchedule, backupName, nextBackupAt, outdatedBackups } from '../domain/backup.ts';
import { type LookAgain, startLoop } from '../engine/loop.ts';
import { toWall } from '../process/wall-clock.ts';
import {
  type BackupState,
  noteBackupBegun,
  noteBackupFailed,
  noteBackupMade,
  readBackups,
  takeBackupBack,
} from '../store/statements/backups.ts';
import { inTurn } from './folder-turn.ts';
import { backupFailures, lastBackup } from './metrics.ts';
import type { BackupDone } from './write.ts';

/** Backups that the product makes by itself. */
export interface ScheduledBackups extends BackupSchedule {
  /** Absolute path of the folder they go to. */
  folder: string;
  /** The secrets that its files do not hold and a restore needs, by setting. */
  secretsApart: readonly string[];
  /** Backs the database up into a file. Rejects if it cannot, and once `signal` gives it up. */
  make(file: string, signal: AbortSignal): Promise<Pick<BackupDone, 'bytes' | 'rows' | 'seconds'>>;
  /** Says why it could not, in one sentence for the operator. */
  explain(fault: unknown): string;
}

/** How the product backs itself up, which may change while it runs. */
export interface BackupPlan {
  /** Null: it does not. The same object until that changes. */
  now(): ScheduledBackups | null;
  /** Whether there is to be one, also where what is set up cannot be used. */
  isWanted(): boolean;
  /** Reads what it is by now. */
  look(): Promise<void>;
  /** Calls back whenever it changed. */
  onChange(changed: () => void): void;
}

/** How long to wait while another process or a person makes one, in milliseconds. */
const BUSY_MS = 5_000;

/** How long one may take to end once it is given up, in milliseconds: its disk may hang. */
const END_MS = 4_000;

/** The longest between two looks, in milliseconds: another process may have made one. */
const POLL_MS = 60_000;

/** What an attempt is called until its end is noted. */
const CUT_SHORT = 'The latest backup did not end: Tocsin was killed meanwhile.';

export interface Backups {
  /** Makes one as soon as no other is under way. */
  backUp(): void;
  /** Resolves when none is due. */
  drain(): Promise<void>;
  /** Gives up the one under way, which is made again by the next start. */
  close(): Promise<void>;
}

/**
 * Makes backups by schedule and when asked for: of all processes on a database one makes each. A file has its name once it was
 * read again to its end; only then the oldest go. One that fails is said in the log, in /metrics, by doctor and in the console,
 * and tried again within the hour. What changes in the plan counts from the next one on.
 */
export function startBackups(deps: { pool: Pool; log: Logger }, plan: BackupPlan): Backups {
  const { pool, log } = deps;
  const closing = new AbortController();
  let asked: 'no' | 'yes' = 'no';

  async function look(): Promise<LookAgain> {
    const backups = plan.now();
    if (backups === null) return rest();
    const state = await readBackups(pool);
    tell(state);
    const inMs = nextBackupAt(stateOfLast(state), backups) - state.now;
    if (closing.signal.aborted || (asked === 'no' && inMs > 0)) return { inMs };
    if (state.underWay === 'yes') return { inMs: BUSY_MS };
    // Another process may know already that it is to go elsewhere.
    await plan.look();
    if (plan.now() !== backups || closing.signal.aborted) return 'now';
    asked = 'no';
    await make(state, backups);
    return 'now';
  }

  /** Where what is set up cannot be used, the latest is told all the same: that it gets old is to be noticed. */
  async function rest(): Promise<LookAgain> {
    if (plan.isWanted()) tell(await readBackups(pool));
    else lastBackup.set(Number.NaN);
    asked = 'no';
    return { inMs: POLL_MS };
  }

  async function make(state: BackupState, backups: ScheduledBackups): Promise<void> {
    const beganAt = await noteBackupBegun(pool, state.tries, CUT_SHORT);
    // Another process was faster, and makes it.
    if (beganAt === null) return;
    const file = join(backups.folder, backupName(state.label, new Date(beganAt)));
    try {
      const { bytes, rows, seconds } = await endedBy(closing.signal, backups.make(file, closing.signal));
      await noteBackupMade(pool, { file, machine: hostname(), bytes, rows, seconds });
      log.info({ file, bytes, rows, seconds }, 'a backup was made');
      await removeOutdated(state.label, backups);
    } catch (fault) {
      if (closing.signal.aborted) return takeBackupBack(pool, state);
      const failure = backups.explain(fault);
      backupFailures.inc();
      log.error({ err: fault, file }, `no backup was made: ${failure}`);
      await noteBackupFailed(pool, failure);
    }
  }

  /** Files that stay for a fault of the disk do no harm: the next backup tries again. */
  async function removeOutdated(label: string, { folder, keep }: ScheduledBackups): Promise<void> {
    try {
      const names = await inTurn(folder, () => readdir(folder));
      const outdated = outdatedBackups(names, label, keep);
      for (const name of outdated) await inTurn(folder, () => rm(join(folder, name), { force: true }));
      if (outdated.length > 0) log.info({ files: outdated }, 'backups that are no longer kept were removed');
    } catch (error) {
      log.warn({ err: error }, 'backups that are no longer kept could not be removed');
    }
  }

  const loop = startLoop('backups', look, log, POLL_MS);
  plan.onChange(loop.nudge);
  return {
    backUp() {
      asked = 'yes';
      loop.nudge();
    },
    drain: loop.drain,
    close() {
      closing.abort(new Error('Tocsin stops.'));
      return loop.close();
    },
  };
}

/** Waits for work, but not for long once it is given up. */
async function endedBy<T>(givenUp: AbortSignal, work: Promise<T>): Promise<T> {
  let giveUp = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    giveUp = () => void setTimeout(() => reject(givenUp.reason), END_MS).unref();
    givenUp.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    givenUp.removeEventListener('abort', giveUp);
  }
}

function tell({ made }: BackupState): void {
  lastBackup.set(made === null ? 0 : toWall(made.at) / 1_000);
}

function stateOfLast({ triedAt, failure }: BackupState) {
  return { triedAt, outcome: failure === null ? ('made' as const) : ('failed' as const) };
}
