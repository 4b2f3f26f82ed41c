import { resolve } from 'node:path';
import { z } from 'zod';
import { BACKUP_BOUNDS, type BackupSchedule } from '../domain/backup.ts';
import { folder } from '../process/setting-kinds.ts';
import { ConfigError, type Environment, type Kind, readSetting } from '../process/settings.ts';
import { mismatch } from '../process/text.ts';

/** Backups that the product makes by itself. */
export interface BackupSettings extends BackupSchedule {
  /** Absolute path. */
  folder: string;
  passphrase: string;
}

/** Returns which settings of scheduled backups stand in the environment, `BACKUP_PASSPHRASE_FILE` among them. */
export function backupsInEnvironment(env: Environment): string[] {
  const names = ['BACKUP_DIR', 'BACKUP_EVERY', 'BACKUP_KEEP', 'BACKUP_PASSPHRASE'];
  return names.flatMap(name => [name, `${name}_FILE`]).filter(name => env[name]);
}

/** Reads the settings of scheduled backups; null if none is to be made. Throws ConfigError for unusable or incomplete ones. */
export function readBackupSettings(env: Environment): BackupSettings | null {
  const path = readSetting(env, 'BACKUP_DIR', folder, null);
  const everyS = readSetting(env, 'BACKUP_EVERY', every, null);
  const keep = readSetting(env, 'BACKUP_KEEP', count, null);
  if (path === null) {
    const alone = everyS !== null ? 'BACKUP_EVERY' : keep !== null ? 'BACKUP_KEEP' : null;
    if (alone === null) return null;
    throw new ConfigError(`${alone} is set without BACKUP_DIR: set that too, to the folder that backups go to.`);
  }
  const passphrase = requirePassphrase(env, 'is required with BACKUP_DIR: backups are encrypted');
  return { folder: resolve(path), everyS: everyS ?? EVERY_S.usual, keep: keep ?? KEEP.usual, passphrase };
}

/** Reads BACKUP_PASSPHRASE. Throws ConfigError without one; `why` it has to be there. */
export function requirePassphrase(env: Environment, why: string): string {
  const set = readSetting(env, 'BACKUP_PASSPHRASE', passphrase, null);
  if (set !== null) return set;
  throw new ConfigError(`BACKUP_PASSPHRASE ${mismatch(passphrase.takes, `nothing, and ${why}`)}`);
}

const { everyS: EVERY_S, keep: KEEP, passphrase: PASSPHRASE } = BACKUP_BOUNDS;

const passphrase: Kind<string> = {
  takes: `at least ${PASSPHRASE.least} characters`,
  schema: z.string().min(PASSPHRASE.least),
  shown: 'length',
};

const UNITS = { m: 60, h: 3_600, d: 86_400 } as const;

const every: Kind<number> = {
  takes: 'a time from 10m to 31d such as 30m, 24h or 7d',
  schema: z
    .string()
    .regex(/^[1-9]\d{0,4}[mhd]$/)
    .transform(text => Number.parseInt(text, 10) * UNITS[text.at(-1) as keyof typeof UNITS])
    .pipe(z.number().min(EVERY_S.least).max(EVERY_S.most)),
  shown: 'value',
};

const count: Kind<number> = {
  takes: `a whole number from ${KEEP.least} to ${KEEP.most}`,
  schema: z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .pipe(z.number().min(KEEP.least).max(KEEP.most)),
  shown: 'value',
};
