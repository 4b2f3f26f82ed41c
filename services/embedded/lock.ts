import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../process/start-errors.ts';

/**
 * Locks the folder for this process and returns the function that unlocks it. Throws StartError, with the owner's
 * process id, while another process has it.
 *
 * The kernel holds the lock on the file `name` (SQLite's write lock; the owner's process id is the file's
 * `user_version`). It ends with its process, however that ends, so it is never stale: a process id in a text file would
 * be, once the id belongs to another process or another container.
 */
export function lockFolder(folder: string, name = 'lock'): () => void {
  const file = new DatabaseSync(join(folder, name), { timeout: LAST_BREATH_MS });
  try {
    file.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${process.pid}; COMMIT`);
    file.exec('BEGIN IMMEDIATE');
  } catch (fault) {
    const owner = isBusy(fault) ? file.prepare('PRAGMA user_version').get()?.user_version : null;
    file.close();
    if (owner === null) throw fault;
    throw new StartError(
      `The data in "${folder}" are in use by another Tocsin (process ${owner}): stop that one or set another DATA_DIR.`,
    );
  }
  return () => file.close();
}

/** A product that was just killed may still be exiting. */
const LAST_BREATH_MS = 1_000;

const SQLITE_BUSY = 5;

function isBusy(fault: unknown): boolean {
  return fault instanceof Error && 'errcode' in fault && fault.errcode === SQLITE_BUSY;
}
