import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { inTurn } from '../backup/folder-turn.ts';
import { proveWritable } from '../embedded/data-dir.ts';
import { diskReason, faultCode, StartError } from '../process/start-errors.ts';
import { mismatch } from '../process/text.ts';
import type { Config } from './config.ts';

/** Throws StartError for a folder in which Tocsin may not write. Not made where it is missing: a disk that is not mounted is to be noticed. */
export async function checkFolder(folder: string): Promise<void> {
  try {
    await inTurn(folder, () => proveWritable(folder));
  } catch (fault) {
    const reason = reasonOf(fault);
    if (reason === null) throw fault;
    throw new StartError(`BACKUP_DIR ${mismatch('a folder in which Tocsin may write', `"${folder}"`, reason)}`);
  }
}

/** Says why no backups can go into a folder that somebody is about to set, as checkFolder says it; null: they can. */
export async function triedFolder(folder: string, database: Config['database']): Promise<string | null> {
  try {
    return await inTurn(folder, () => faultIn(folder, database));
  } catch (fault) {
    const reason = reasonOf(fault) ?? faultCode(fault);
    if (reason === null) throw fault;
    return reason;
  }
}

function reasonOf(fault: unknown): string | null {
  if (fault instanceof StartError) return fault.message;
  return faultCode(fault) === 'ENOENT' ? 'it is not there' : diskReason(fault);
}

async function faultIn(folder: string, database: Config['database']): Promise<string | null> {
  const inDataDir = database.kind === 'embedded' && (await liesIn(folder, database.dataDir));
  if (inDataDir) return 'it is DATA_DIR or lies in it, and what takes that away takes the backups along';
  await proveWritable(folder);
  return null;
}

/** Wherever symbolic links lead. */
async function liesIn(folder: string, other: string): Promise<boolean> {
  const way = relative(await realpath(other), await realpath(folder));
  return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`);
}
