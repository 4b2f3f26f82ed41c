import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { BackupPlan, ScheduledBackups } from '../backup/schedule.ts';
import { ConfigError, type Environment } from '../process/settings.ts';
import type { Seal } from '../store/seal.ts';
import { BACKUPS_PART, type LastSetting, readLastSetting } from '../store/statements/settings.ts';
import { triedFolder } from './backup-folder.ts';
import { type BackupSettings, readBackupSettings } from './backup-settings.ts';
import { prepareScheduled } from './backups.ts';
import type { ConsoleCarriers } from './carriers.ts';
import type { Config } from './config.ts';
import type { DatabaseUrls } from './database.ts';

/** Backups by schedule, by the environment or as the operator set them up (DECISIONS.md "Backups set up in the console"). */
export interface BackupsHere extends BackupPlan {
  /** The settings that stand in the environment, by name: where there are any, those count alone. */
  environment: readonly string[];
  /** Counts what was stored, as far as this process goes by it; 0: nothing ever was. */
  version(): number;
  /** Where they are set up. */
  setIn(): 'environment' | 'console' | 'nowhere';
  /** Why what is stored counts for nothing, in words; null: it counts, or nothing is stored. */
  leftOut(): string | null;
  /** Says why no backups can go into a folder; null: they can. */
  tryFolder(folder: string): Promise<string | null>;
}

/** Opens them. `environment`: what stands in the environment, which wins; `stored`: whether what is stored counts. */
export async function openBackups(on: {
  pool: Pool;
  seal: Seal;
  environment: { names: readonly string[]; settings: BackupSettings | null };
  stored: ConsoleCarriers;
  database: Config['database'];
  urls: DatabaseUrls;
  log: Logger;
}): Promise<BackupsHere> {
  const { pool, seal, environment, stored, database, urls, log } = on;
  const isFixed = environment.names.length > 0;
  let seen: Pick<LastSetting, 'version' | 'sealed'> = { version: 0, sealed: null };
  let read: Read = { settings: environment.settings, leftOut: null };
  let now = prepared(environment.settings, null);
  let tell = () => {};

  function prepared(settings: BackupSettings | null, before: BackupSettings | null): ScheduledBackups | null {
    const folderIs = settings?.folder === before?.folder ? 'known' : 'new';
    return settings === null ? null : prepareScheduled(settings, database, urls, folderIs, log);
  }

  async function look(): Promise<void> {
    if (isFixed) return;
    const last = await readLastSetting(pool, BACKUPS_PART);
    // Two looks at once may end in either order.
    if (last === null || last.version < seen.version) return;
    const isNews = last.sealed !== seen.sealed;
    seen = last;
    if (!isNews) return;
    const before = read;
    read = stored === 'refused' ? { settings: null, leftOut: refusedOf(last) } : readStored(seal, last);
    if (JSON.stringify(read) === JSON.stringify(before)) return;
    now = prepared(read.settings, before.settings);
    if (stored === 'taken') said(read, log);
    tell();
  }

  await look();
  return {
    now: () => now,
    isWanted: () => now !== null || (read.leftOut !== null && stored === 'taken'),
    look,
    onChange(changed) {
      tell = changed;
    },
    environment: environment.names,
    version: () => seen.version,
    setIn() {
      if (isFixed) return 'environment';
      return seen.sealed === null ? 'nowhere' : 'console';
    },
    leftOut: () => read.leftOut,
    tryFolder: folder => triedFolder(folder, database),
  };
}

interface Read {
  settings: BackupSettings | null;
  leftOut: string | null;
}

function refusedOf({ sealed }: Pick<LastSetting, 'sealed'>): string | null {
  return sealed === null ? null : 'CONSOLE_CARRIERS=refused';
}

/** What cannot be used stops no start: people are to be alerted all the same. */
function readStored(seal: Seal, { sealed }: Pick<LastSetting, 'sealed'>): Read {
  if (sealed === null) return { settings: null, leftOut: null };
  try {
    const settings = readBackupSettings(JSON.parse(seal.open(sealed)) as Environment);
    return { settings, leftOut: settings === null ? 'BACKUP_DIR is missing' : null };
  } catch (fault) {
    const known = fault instanceof ConfigError ? fault.message.replace(/\.$/, '') : null;
    return { settings: null, leftOut: known ?? 'what is stored cannot be opened with this DATA_KEY' };
  }
}

function said({ settings, leftOut }: Read, log: Logger): void {
  if (leftOut !== null) {
    log.error(
      { problem: leftOut },
      'what is stored for backups cannot be used: none is made until they are set up anew',
    );
  } else if (settings === null) log.info('no backups are made any more, as is set in the console');
  else {
    const { folder, everyS, keep } = settings;
    log.info({ folder, everyS, keep }, 'backups are made as they are set up in the console');
  }
}
