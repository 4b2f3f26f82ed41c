/** How often backups are made, and how many are kept (DECISIONS.md "Scheduled backups"). */
export interface BackupSchedule {
  /** From the beginning of one to the next, in seconds. */
  everyS: number;
  /** How many files stay. */
  keep: number;
}

/**
 * What it may be: seconds from the beginning of one backup to the next, as more often each would begin when the one before has hardly
 * ended; files that stay; and characters of the passphrase.
 */
export const BACKUP_BOUNDS = {
  everyS: { least: 600, most: 31 * 86_400, usual: 86_400 },
  keep: { least: 1, most: 1_000, usual: 7 },
  passphrase: { least: 12, most: 500 },
} as const;

/** How the latest attempt went: `failed` also while it is under way, and where its process died. */
export interface LastBackup {
  /** When it began; milliseconds since 1970. Null: there was none. */
  triedAt: number | null;
  outcome: 'made' | 'failed';
}

/** After a failure it is tried again this soon at the latest, in seconds: what is wrong is often mended within the hour. */
const RETRY_S = 3_600;

/** Returns when the next backup is due, in milliseconds since 1970: at once where there never was one. */
export function nextBackupAt({ triedAt, outcome }: LastBackup, { everyS }: BackupSchedule): number {
  if (triedAt === null) return 0;
  const pauseS = outcome === 'made' ? everyS : Math.min(everyS, RETRY_S);
  return triedAt + pauseS * 1_000;
}

/** Returns the name of a backup that began at `at`: by name they stand in order. `label` tells one database's from another's. */
export function backupName(label: string, at: Date): string {
  return `tocsin-${label}-${at.toISOString().replace(/[-:]|\.\d+/g, '')}.backup`;
}

/** Returns which files of a folder go, so that the newest `keep` backups of one database stay; and drafts of those that were cut short. */
export function outdatedBackups(names: readonly string[], label: string, keep: number): string[] {
  const ours = names.filter(name => name.startsWith(`tocsin-${label}-`)).sort();
  const whole = ours.filter(name => /-\d{8}T\d{6}Z\.backup$/.test(name));
  const drafts = ours.filter(name => /-\d{8}T\d{6}Z\.backup\.part$/.test(name));
  return [...whole.slice(0, Math.max(0, whole.length - keep)), ...drafts];
}
