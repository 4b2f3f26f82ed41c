import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from './wait.ts';

const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));

/**
 * Gives what is kept under this name in the cache folder of the repository. What is not there yet is made by `make`, in an
 * empty folder beside it, and appears when it is complete; `make` gives the path of what to keep, which may be that folder.
 */
export async function cached(name: string, make: (folder: string) => Promise<string>): Promise<string> {
  const kept = join(cache, name);
  const lock = join(cache, `${name}.lock`);
  await mkdir(cache, { recursive: true });
  const turn = await eventually(
    async () => ((await succeeds(access(kept))) ? 'kept' : (await takeLock(lock)) ? 'ours' : null),
    { what: `another test process to make ${name}`, within: 280_000 },
  );
  if (turn === 'ours') await fill(kept, make).finally(() => rm(lock, { force: true }));
  return kept;
}

/** The lock only saves work: what is made appears by a rename, so that two at once would do no harm. */
async function takeLock(lock: string): Promise<boolean> {
  if (await succeeds(writeFile(lock, String(process.pid), { flag: 'wx' }))) return true;
  const holder = Number(await readFile(lock, 'utf8').catch(() => process.pid));
  if (holder > 0 && !isAlive(holder)) await rm(lock, { force: true });
  return false;
}

async function fill(kept: string, make: (folder: string) => Promise<string>): Promise<void> {
  const folder = await mkdtemp(`${kept}-`);
  try {
    await rename(await make(folder), kept);
  } catch (cause) {
    if (!(await succeeds(access(kept)))) throw cause;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function succeeds(attempt: Promise<unknown>): Promise<boolean> {
  return attempt.then(
    () => true,
    () => false,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
