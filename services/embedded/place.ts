import { chmod, mkdtemp, readdir, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { faultCode, StartError } from '../process/start-errors.ts';
import { type Binaries, findBinaries, reachableBinaries } from './binaries.ts';
import { RESTORE_LOCK, RESTORE_MARK, readIfThere, writePrivate } from './data-dir.ts';
import { SECRET_FILES } from './secrets.ts';
import { canEnter, isRoot, openShelter, postgresUser, type SystemUser } from './system.ts';

/** Where the PostgreSQL of a DATA_DIR is and which user runs it. */
export interface Place {
  /** DATA_DIR itself, or the folder that its note names. */
  folder: string;
  /** The cluster in it: PostgreSQL's data folder. */
  cluster: string;
  user: SystemUser | null;
  binaries: Binaries;
}

/** The file in DATA_DIR that tells people and the next start where the data are if not in DATA_DIR. */
export const NOTE = 'postgres-is-elsewhere.txt';

/**
 * Finds the place for `dataDir`, a real path. PostgreSQL refuses to run as root: root runs it as the owner of the
 * cluster, at first the system user `postgres`. If that user cannot get to `dataDir` (below root's home, mode 0700),
 * the data go permanently to a folder of their own under `shelter`, and a note is left. Throws StartError if nothing
 * fits.
 */
export async function findPlace(dataDir: string, shelter: string): Promise<Place> {
  const noted = await readNote(dataDir);
  const owner = await ownerOf(join(noted ?? dataDir, 'postgres'));
  const installed = await findBinaries();
  if (!isRoot()) {
    refuseForeign(owner, noted ?? dataDir);
    return placeIn(noted ?? dataDir, null, installed);
  }
  const user = owner === null || owner.uid === 0 ? await postgresUser() : owner;
  const settled = noted !== null || owner !== null || (await canEnter(user, dataDir)) || (await openUp(dataDir, user));
  const folder = settled ? (noted ?? dataDir) : await moveOut(dataDir, shelter);
  if (!(await canEnter(user, folder))) {
    throw new StartError(
      `PostgreSQL runs as user ${user.uid}, who cannot enter "${folder}": open it and the folders above it for passing through (chmod o+x), or set another DATA_DIR.`,
    );
  }
  return placeIn(folder, user, await reachableBinaries(installed, user, shelter));
}

function placeIn(folder: string, user: SystemUser | null, binaries: Binaries): Place {
  return { folder, cluster: join(folder, 'postgres'), user, binaries };
}

async function readNote(dataDir: string): Promise<string | null> {
  const note = await readIfThere(join(dataDir, NOTE));
  const folder = note?.split('\n').find(line => line.startsWith('/')) ?? null;
  if (folder !== null && !(await isFolder(folder))) {
    throw new StartError(
      `"${join(dataDir, NOTE)}" says that the data are in "${folder}", which is gone: put it back, or start with an empty DATA_DIR.`,
    );
  }
  return folder;
}

/**
 * If only DATA_DIR itself is closed, and holds nothing of others, it is opened for passing through, not for listing.
 */
async function openUp(dataDir: string, user: SystemUser): Promise<boolean> {
  const own = [...SECRET_FILES, RESTORE_MARK, RESTORE_LOCK];
  const foreign = (await readdir(dataDir)).filter(name => !own.some(file => name.startsWith(file)));
  if (foreign.length > 0 || !(await canEnter(user, dirname(dataDir)))) return false;
  await chmod(dataDir, (await stat(dataDir)).mode | 0o011);
  return true;
}

/** A random name, not one derived from `dataDir`: an emptied DATA_DIR means to start anew. */
async function moveOut(dataDir: string, shelter: string): Promise<string> {
  await openShelter(shelter);
  const folder = await mkdtemp(join(shelter, 'data-'));
  await chmod(folder, 0o755);
  const note = `PostgreSQL does not run as root, and the user it runs as cannot enter this folder. Its data are in\n${folder}\nKeep both together: neither is of use without the other.\n`;
  await writePrivate(join(dataDir, NOTE), note, 'keep');
  const noted = (await readNote(dataDir)) ?? folder;
  // Another start was faster.
  if (noted !== folder) await rmdir(folder);
  return noted;
}

function refuseForeign(owner: SystemUser | null, folder: string): void {
  const uid = process.getuid?.();
  if (owner === null || uid === undefined || owner.uid === uid) return;
  throw new StartError(
    `The data in "${folder}" belong to user ${owner.uid}, but Tocsin runs as user ${uid}: start it as that user or as root, or set another DATA_DIR.`,
  );
}

async function ownerOf(path: string): Promise<SystemUser | null> {
  try {
    const { uid, gid } = await stat(path);
    return { uid, gid };
  } catch (fault) {
    if (faultCode(fault) === 'ENOENT') return null;
    throw fault;
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    found => found.isDirectory(),
    () => false,
  );
}
