import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { canEnter, run, type SystemUser } from '../../services/embedded/system.ts';
import { librariesIn, missingFor, unpackedFromDebian } from './debian.ts';

/** The PostgreSQL server of Debian, which many run beside the one that comes along. */
export interface DebianPostgres {
  /** Such as `15.18`. */
  version: string;
  /** The path of one of its programs. */
  program(name: string): string;
  /** What their environment needs beyond ours. */
  env: Record<string, string>;
}

/**
 * Gives the one that is installed, else Debian's package, unpacked, and copied into `folder` where `user` cannot get at it. `user`:
 * who is to run it, null for the user of this process.
 */
export async function debianPostgres(user: SystemUser | null, folder: string): Promise<DebianPostgres> {
  const installed = await versionsIn('/');
  if (installed.length > 0) return postgresIn('/', installed);
  const unpacked = await unpackedFromDebian('postgresql', { packages: apt => missingFor(apt, 'postgresql') });
  if (user === null || (await canEnter(user, unpacked))) return postgresIn(unpacked, await versionsIn(unpacked));
  const copy = join(folder, 'debian');
  await cp(unpacked, copy, { recursive: true, verbatimSymlinks: true });
  return postgresIn(copy, await versionsIn(copy));
}

const SERVERS = 'usr/lib/postgresql';

/** The major versions whose server is there, the newest last. */
async function versionsIn(root: string): Promise<string[]> {
  const majors = await readdir(join(root, SERVERS)).catch(() => []);
  const there = await Promise.all(
    majors.map(async major => (await readdir(join(root, SERVERS, major, 'bin'))).includes('postgres')),
  );
  return majors.filter((_, at) => there[at]).toSorted((a, b) => Number(a) - Number(b));
}

async function postgresIn(root: string, majors: readonly string[]): Promise<DebianPostgres> {
  const env = root === '/' ? {} : await librariesIn(root);
  const program = (name: string) => join(root, SERVERS, majors.at(-1)!, 'bin', name);
  const asked = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const { stdout } = await run('env', [...asked, program('postgres'), '--version'], null, '/');
  return { version: /\d+\.\d+/.exec(stdout)?.[0] ?? stdout.trim(), program, env };
}
