import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findBinaries, reachableBinaries, refuseUnlinked } from '../../services/embedded/binaries.ts';
import { ensureCluster } from '../../services/embedded/cluster.ts';
import { openDataDir } from '../../services/embedded/data-dir.ts';
import { findEmbedded } from '../../services/embedded/embedded.ts';
import { NOTE } from '../../services/embedded/place.ts';
import { keepSecrets } from '../../services/embedded/secrets.ts';
import { emptyFolder, query, start } from './embedded-rig.ts';

const ROOT = process.getuid?.() === 0;
/** Nobody in particular: neither the user of the tests nor root. */
const STRANGER = { uid: 65_533, gid: 65_533 };

test('data of another major version are refused in one sentence that names both and says what to do', async () => {
  const dataDir = await emptyFolder();
  await mkdir(join(dataDir, 'postgres'));
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
  await expect(start(dataDir)).rejects.toThrow(
    `"${dataDir}/postgres" holds data of PostgreSQL 17, but this Tocsin comes with PostgreSQL 18: back them up with the Tocsin that wrote them and restore that backup with this one, or start with an empty DATA_DIR.`,
  );
});

test('a folder named postgres that holds something else is refused and left alone', async () => {
  const dataDir = await emptyFolder();
  await mkdir(join(dataDir, 'postgres'));
  await writeFile(join(dataDir, 'postgres', 'notes.txt'), 'mine');
  await expect(start(dataDir)).rejects.toThrow('PG_VERSION is missing');
  expect(await readFile(join(dataDir, 'postgres', 'notes.txt'), 'utf8')).toBe('mine');
});

test('a DATA_DIR that is a file, or lies in one, is refused in one sentence', async () => {
  const file = join(await emptyFolder(), 'file');
  await writeFile(file, '');
  for (const dataDir of [file, join(file, 'below')]) {
    await expect(start(dataDir)).rejects.toThrow(
      `DATA_DIR takes a folder in which Tocsin may write, got "${dataDir}": it is a file, or lies in one.`,
    );
  }
});

test.each([
  '/proc/nothing/data',
  '/proc/nothing/far/below',
])('a DATA_DIR below a folder that cannot exist (%s) is refused in one sentence, at once', async dataDir => {
  await expect(openDataDir(dataDir)).rejects.toThrow(
    `DATA_DIR takes a folder in which Tocsin may write, got "${dataDir}": the folder above it does not exist and cannot be made.`,
  );
});

test('a DATA_DIR is made with the folders above it, and one that is there is used', async () => {
  const dataDir = join(await emptyFolder(), 'one', 'two', 'data');
  expect(await openDataDir(dataDir)).toBe(dataDir);
  expect(await openDataDir(`${dataDir}/`)).toBe(dataDir);
});

test('a DATA_DIR in which this user may not write is refused in one sentence', async () => {
  const dataDir = await emptyFolder(0o555);
  await expect(asStranger(() => openDataDir(dataDir))).rejects.toThrow(
    `DATA_DIR takes a folder in which Tocsin may write, got "${dataDir}": this user may not use it.`,
  );
});

test.each([
  0o777, 0o770, 0o2770,
])('a DATA_DIR whose files a volume or a person has opened to others (%o) starts: it is closed again', async mode => {
  const dataDir = await emptyFolder();
  await (await start(dataDir)).stop();
  for (const path of ['postgres', 'postgres/base', 'postgres/PG_VERSION']) await chmod(join(dataDir, path), mode);
  const { ownerUrl } = await start(dataDir);
  expect(await query(ownerUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect((await stat(join(dataDir, 'postgres'))).mode & 0o777).toBe(0o700);
});

test.each([
  '$HOME',
  'a"b',
  '`id`',
  "it's",
  'back\\slash',
  '$(id)',
  'a b',
  'ä%#',
])('a DATA_DIR named %s starts, stops and is found again', async name => {
  const dataDir = join(await emptyFolder(), name);
  const first = await start(dataDir);
  await query(first.ownerUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await first.stop();
  const second = await start(dataDir);
  expect(await query(second.ownerUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  expect(await findEmbedded(dataDir)).toContain('postgres://');
  await second.stop();
});

test('an installation without install scripts is told so, not which library the loader misses', async () => {
  const folder = await emptyFolder();
  await mkdir(join(folder, 'native', 'lib'), { recursive: true });
  const links = [{ source: 'native/lib/libicuuc.so.60.2', target: 'native/lib/libicuuc.so.60' }];
  await writeFile(join(folder, 'native', 'pg-symlinks.json'), JSON.stringify(links));
  await expect(refuseUnlinked(folder)).rejects.toThrow(
    'Embedded PostgreSQL is not installed completely (libicuuc.so.60 is missing), because npm ran no install scripts: allow them (npm config set ignore-scripts false), then run "npm ci" again.',
  );
  await writeFile(join(folder, 'native', 'lib', 'libicuuc.so.60'), '');
  await refuseUnlinked(folder);
});

test.runIf(ROOT)('a user without a name on this machine is told what to do', async () => {
  const folder = await emptyFolder(0o777);
  const binaries = await reachableBinaries(await findBinaries(), STRANGER, join(await emptyFolder(), 'shelter'));
  const place = { folder, cluster: join(folder, 'postgres'), user: STRANGER, binaries };
  await expect(ensureCluster(place, 'secret')).rejects.toThrow(
    /^Embedded PostgreSQL has to find the name of the user it runs as .* user 65533 has none on this machine: .* \/etc\/passwd .*DATABASE_URL\.$/,
  );
});

test('below a closed folder the data are where PostgreSQL can reach them, and a note says where', async () => {
  const closed = await emptyFolder(0o700);
  const shelter = join(await emptyFolder(), 'shelter');
  const dataDir = join(closed, 'data');
  const first = await start(dataDir, { shelter });
  await query(first.ownerUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await first.stop();

  const second = await start(dataDir, { shelter });
  expect(await query(second.ownerUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  // Only root hands PostgreSQL over to another user; anybody else's can enter what its user can.
  expect(dirname(second.folder)).toBe(ROOT ? shelter : closed);
  const note = await readFile(join(dataDir, NOTE), 'utf8').catch(() => second.folder);
  expect(note).toContain(second.folder);
});

test('a closed DATA_DIR of its own stays the place of the data', async () => {
  const dataDir = await emptyFolder(0o700);
  await keepSecrets(dataDir, { pepper: null, dataKey: null });
  const { folder } = await start(dataDir, { shelter: join(await emptyFolder(), 'shelter') });
  expect(folder).toBe(dataDir);
  expect((await stat(join(dataDir, 'key-pepper'))).mode & 0o777).toBe(0o600);
});

test('data that a note places elsewhere are never replaced by empty ones', async () => {
  const dataDir = await emptyFolder();
  await writeFile(join(dataDir, NOTE), `The data are in\n${dataDir}/gone\n`);
  await expect(start(dataDir)).rejects.toThrow(`says that the data are in "${dataDir}/gone", which is gone`);
});

test('programs that PostgreSQL cannot reach are copied once, whole, to a place where it can', async () => {
  const closed = await emptyFolder(0o700);
  const shelter = join(await emptyFolder(), 'shelter');
  const installed = await findBinaries();
  await cp(installed.folder, join(closed, 'native'), { recursive: true, verbatimSymlinks: true });
  const unreachable = { ...installed, folder: join(closed, 'native') };

  const two = await Promise.all([1, 2].map(() => reachableBinaries(unreachable, STRANGER, shelter)));
  expect(new Set(two.map(({ folder }) => folder))).toEqual(new Set([join(shelter, `postgresql-${installed.version}`)]));
  expect(await readdir(shelter)).toHaveLength(1);
  const copied = join(shelter, `postgresql-${installed.version}`, 'bin', 'postgres');
  const { stdout } = await promisify(execFile)(copied, ['--version'], ROOT ? STRANGER : {});
  expect(stdout).toContain(`(PostgreSQL) ${installed.major}.`);
});

test('the secrets are made once, and never anew beside data that need the lost ones', async () => {
  const dataDir = await emptyFolder();
  const none = { pepper: null, dataKey: null };
  const made = await keepSecrets(dataDir, none);
  expect(made.pepper.length).toBeGreaterThanOrEqual(32);
  expect(made.dataKey).toHaveLength(32);
  expect(await keepSecrets(dataDir, none)).toEqual(made);

  await start(dataDir);
  await rm(join(dataDir, 'data-key'));
  await expect(keepSecrets(dataDir, none)).rejects.toThrow(
    `"${dataDir}/data-key" is missing although the folder holds data that were written with it: put it back or set DATA_KEY.`,
  );
  expect(await keepSecrets(dataDir, { ...none, dataKey: made.dataKey })).toEqual(made);
});

/** Root may write everywhere, so it steps aside. */
async function asStranger<T>(attempt: () => Promise<T>): Promise<T> {
  if (!ROOT) return attempt();
  process.setegid?.(STRANGER.gid);
  process.seteuid?.(STRANGER.uid);
  try {
    return await attempt();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
