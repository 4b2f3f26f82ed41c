import { link, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskReason, faultCode, StartError } from '../process/start-errors.ts';
import { mismatch } from '../process/text.ts';

/**
 * Creates DATA_DIR if it is missing and returns its real path. Throws StartError if this process cannot write in it or
 * it is not a folder.
 */
export async function openDataDir(dataDir: string): Promise<string> {
  try {
    await makeFolder(dataDir);
    const folder = await realpath(dataDir);
    await proveWritable(folder);
    return folder;
  } catch (fault) {
    const reason = diskReason(fault);
    if (reason === null) throw fault;
    throw new StartError(`DATA_DIR ${mismatch('a folder in which Tocsin may write', `"${dataDir}"`, reason)}`);
  }
}

/**
 * Creates a folder and its parents. Not with `recursive`: where the system reports a folder as missing but lets nobody
 * create it, as below /proc, Node retries without end and blocks.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (fault) {
    const code = faultCode(fault);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    const above = dirname(path);
    if (code !== 'ENOENT' || above === path || (await isThere(above))) throw fault;
    await makeFolder(above);
    await mkdir(path);
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** In DATA_DIR: says that a restore is under way or was cut short; and the file that locks one. */
export const RESTORE_MARK = 'restore-under-way';
export const RESTORE_LOCK = 'restore-lock';

/** Returns the text of a file, null if there is none. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (fault) {
    if (faultCode(fault) === 'ENOENT') return null;
    throw fault;
  }
}

/**
 * Writes a whole file, readable by its owner only (mode 0600). A crash leaves either the old content or the new.
 * `keep`: an existing file stays as it is.
 */
export async function writePrivate(path: string, text: string, existing: 'replace' | 'keep'): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await rm(draft, { force: true });
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  if (existing === 'replace') return rename(draft, path);
  try {
    await link(draft, path);
  } catch (fault) {
    if (faultCode(fault) !== 'EEXIST') throw fault;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Writes a file and removes it: permission bits do not reveal read-only or full disks. Throws the fault of the disk. */
export async function proveWritable(folder: string): Promise<void> {
  const probe = `${folder}/.probe-${process.pid}`;
  const file = await open(probe, 'w', 0o600);
  try {
    await file.writeFile('probe');
  } finally {
    await file.close();
    await rm(probe, { force: true });
  }
}
