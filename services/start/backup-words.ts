import { createInterface } from 'node:readline/promises';
import type { Due, Past } from '../backup/past.ts';
import type { BackupProgress } from '../backup/write.ts';
import type { DeploymentBackup } from './backups.ts';
import type { DeploymentRestored } from './restores.ts';

/** What a backup says at a terminal. */
export function backupLines(done: DeploymentBackup): string[] {
  const { file, rows, bytes, seconds, snapshotS, secretsNeeded, kind } = done;
  const held = kind === 'logical' ? `${number(rows)} rows` : 'all files of the embedded PostgreSQL';
  const snapshot = kind === 'logical' ? `held a snapshot for ${snapshotS} s` : 'held no snapshot';
  return [
    `${file} holds ${held} in ${size(bytes)}, and was read again to its end. It took ${seconds} s and ${snapshot}.`,
    secretsNeeded.length === 0
      ? 'It holds the secrets of DATA_DIR too: with its passphrase it is all that a new machine needs.'
      : `It does not hold ${secretsNeeded.join(' and ')}, which a restore needs: keep them apart from it.`,
  ];
}

/** What a restore says at a terminal. */
export function restoreLines({ at, kind, rows, past }: DeploymentRestored): string[] {
  const alerts = {
    nothing_was_due: 'No alert was due meanwhile.',
    missed: `${number(past.missed)} messages that were due meanwhile are marked as missed; owners are told once Tocsin runs.`,
    send: 'What was due meanwhile is sent once Tocsin runs.',
  } as const;
  const back = kind === 'logical' ? `${number(rows)} rows are back` : 'All files of the embedded PostgreSQL are back';
  return [
    `${back} as they were at ${at}.`,
    alerts[past.became],
    'Its backups get names of their own: those from before the restore stay in their folder until you remove them.',
    'Start it: npm start',
  ];
}

/**
 * Asks a person at a terminal what becomes of what was due. Where nobody can be asked it is `missed`: nobody is alerted for
 * what lies in the past without a word.
 */
export async function askForDue(
  { messages, windows, calls }: Past,
  { stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'>,
): Promise<Due> {
  if (!stdin.isTTY || !stderr.isTTY) return 'missed';
  const lines = createInterface({ input: stdin, output: stderr });
  const found = `${number(messages)} messages, ${number(windows)} false-alarm windows and ${number(calls)} calls were due since the backup.`;
  const answer = await lines.question(
    `\n${found}\nSend what they come to now? Type send; anything else marks them as missed: `,
  );
  lines.close();
  return answer.trim() === 'send' ? 'send' : 'missed';
}

/** A line on a terminal that tells how far it is; nothing elsewhere. */
export function progressLine(terminal: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>) {
  let shownAt = 0;
  if (!terminal.isTTY) return { show: (_progress: BackupProgress) => {}, end() {} };
  return {
    show({ at, done }: BackupProgress) {
      if (performance.now() - shownAt < 100) return;
      shownAt = performance.now();
      terminal.write(`\r\u001b[K${at === null ? 'reading it again' : `${at}, ${number(done)}`}`);
    },
    end: () => void terminal.write('\r\u001b[K'),
  };
}

function number(count: number): string {
  return count.toLocaleString('en');
}

function size(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
