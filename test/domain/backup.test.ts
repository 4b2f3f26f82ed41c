import { expect, test } from 'vitest';
import { backupName, nextBackupAt, outdatedBackups } from '../../services/domain/backup.ts';

const HOUR_MS = 3_600_000;

test.each([
  ['there never was one: at once', { triedAt: null, outcome: 'made' }, 86_400, 0],
  ['after one that was made: when its time is over', { triedAt: 5_000, outcome: 'made' }, 86_400, 24 * HOUR_MS + 5_000],
  ['after one that failed: within the hour', { triedAt: 5_000, outcome: 'failed' }, 86_400, HOUR_MS + 5_000],
  ['after one that failed, where they are made more often', { triedAt: 0, outcome: 'failed' }, 600, 600_000],
] as const)('a backup is due, where %s', (_case, last, everyS, at) => {
  expect(nextBackupAt(last, { everyS, keep: 7 })).toBe(at);
});

test('names stand in the order of time, and only the oldest whole backups of this database go, with drafts that were cut short', () => {
  const at = (day: number) => new Date(Date.UTC(2026, 10, day, 3, 0, 9, 120));
  expect(backupName('a1', at(9))).toBe('tocsin-a1-20261109T030009Z.backup');
  const names = [9, 10, 8].map(day => backupName('a1', at(day)));
  const others = [backupName('a', at(1)), backupName('a12', at(1)), 'tocsin-a1-mine.backup', 'tocsin.backup', 'a.txt'];
  const draft = `${backupName('a1', at(11))}.part`;
  expect(outdatedBackups([...names, ...others, draft], 'a1', 2)).toEqual([names[2], draft]);
  expect(outdatedBackups([...names, ...others], 'a1', 3)).toEqual([]);
});
