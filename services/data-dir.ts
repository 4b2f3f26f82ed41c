import { link, mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { diskReason, faultCode, StartError } from './start-errors.ts';

/**
 * Makes DATA_DIR where it is missing and gives its real path. Throws StartError when it is not a folder in which this
 * process can write.
 */
export async function openDataDir(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true });
    const folder = await realpath(dataDir);
    await proveWritable(folder);
    return folder;
  } catch (fault) {
    const reason = diskReason(fault);
    if (reason === null) throw fault;
    throw new StartError(`DATA_DIR takes a folder in which Tocsin may write, got "${dataDir}": ${reason}.`);
  }
}

/** The text of a file, null when there is none. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (fault) {
    if (faultCode(fault) === 'ENOENT') return null;
    throw fault;
  }
}

/**
 * Writes a whole file, readable by its owner only (mode 0600). A crash leaves the old content or the new one, never half
 * of it. `keep`: a file that is already there stays as it is.
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

/** Permission bits do not tell of read-only or full disks. */
async function proveWritable(folder: string): Promise<void> {
  const probe = `${folder}/.probe-${process.pid}`;
  const file = await open(probe, 'w', 0o600);
  try {
    await file.writeFile('probe');
  } finally {
    await file.close();
    await rm(probe, { force: true });
  }
}
