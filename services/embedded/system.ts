import { execFile } from 'node:child_process';
import { chmod, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '../process/start-errors.ts';

/** The user a program runs as. Where a SystemUser may be null, null is the user of this process. */
export interface SystemUser {
  uid: number;
  gid: number;
}

/**
 * Runs a program to its end in `folder` and returns its output. Passes nothing of this process's environment: a stray
 * PGPORT or locale would change what PostgreSQL does. Rejects with `stdout` and `stderr` on the error.
 */
export function run(program: string, args: readonly string[], user: SystemUser | null, folder: string) {
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
  return promisify(execFile)(program, args, { env, cwd: folder, ...user });
}

/** Tells whether this process is root, which PostgreSQL refuses to run as. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Returns the system user `postgres`, created if missing. Throws StartError if that fails. */
export async function postgresUser(): Promise<SystemUser> {
  try {
    return await lookUp('postgres').catch(async () => {
      await run('useradd', ['--system', '--user-group', '--shell', '/bin/false', 'postgres'], null, '/');
      return lookUp('postgres');
    });
  } catch {
    throw new StartError(
      'Embedded PostgreSQL refuses to run as root and the system user "postgres" could not be made: start Tocsin as an ordinary user, or make that user, or set DATABASE_URL.',
    );
  }
}

async function lookUp(name: string): Promise<SystemUser> {
  const [uid, gid] = await Promise.all([run('id', ['-u', name], null, '/'), run('id', ['-g', name], null, '/')]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/**
 * Tells whether a user may pass through a folder (or run a file) and everything above it, by permission bits alone: if
 * only an access list would let the user in, the answer is no.
 */
export async function canEnter(user: SystemUser, path: string): Promise<boolean> {
  const { mode, uid, gid } = await stat(path);
  const bit = user.uid === uid ? 0o100 : user.gid === gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return false;
  return dirname(path) === path || canEnter(user, dirname(path));
}

/** Creates a folder that every user may enter, whatever the umask. */
export async function openShelter(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
}
