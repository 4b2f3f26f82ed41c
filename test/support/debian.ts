import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cached } from './cache.ts';

const run = promisify(execFile);

/**
 * Gives the folder in which a Debian package is unpacked: once, into the cache folder of the repository (needs no root and
 * changes nothing outside it). `packages` names what to unpack beside it. Throws where it cannot be had, with apt's last words.
 */
export async function unpackedFromDebian(
  name: string,
  { packages = async () => [name] }: { packages?: (apt: Apt) => Promise<string[]> } = {},
): Promise<string> {
  return cached(name, async folder => {
    const unpacked = join(folder, 'unpacked');
    try {
      const apt = await aptIn(folder);
      await apt('update');
      await apt('download', ...(await packages(apt)));
      const archives = (await readdir(folder)).filter(file => file.endsWith('.deb'));
      for (const archive of archives) await run('dpkg', ['-x', archive, unpacked], { cwd: folder });
    } catch (cause) {
      throw new Error(reason(cause));
    }
    return unpacked;
  });
}

/** A program to start. */
export interface Program {
  path: string;
  /** What its environment needs beyond ours. */
  env: Record<string, string>;
}

/** Lists what an installation of `name` would bring that this machine lacks, itself included: apt knows what is there. */
export async function missingFor(apt: Apt, name: string): Promise<string[]> {
  const plan = await apt('--simulate', '--no-install-recommends', 'install', name);
  return [...plan.matchAll(/^Inst (\S+)/gm)].map(([, missing]) => missing!);
}

/** Tells the loader of every folder with libraries among what is unpacked; nothing where there are none. */
export async function librariesIn(folder: string): Promise<Record<string, string>> {
  const files = await readdir(folder, { recursive: true });
  const libraries = files.filter(file => /\.so(\.[\d.]+)?$/.test(file)).map(file => join(folder, dirname(file)));
  return libraries.length === 0 ? {} : { LD_LIBRARY_PATH: [...new Set(libraries)].join(':') };
}

/** Runs apt-get and gives what it says. */
export type Apt = (...command: string[]) => Promise<string>;

/** apt-get with its lists, its cache and its sandbox kept to one folder, so that an ordinary user may run it too. */
async function aptIn(folder: string): Promise<Apt> {
  const lists = join(folder, 'lists');
  const archives = join(folder, 'cache');
  await Promise.all([lists, join(archives, 'archives')].map(path => mkdir(join(path, 'partial'), { recursive: true })));
  const places = [`Dir::State::lists=${lists}`, `Dir::Cache=${archives}`, 'APT::Sandbox::User=root'];
  const options = ['-q', ...places.flatMap(place => ['-o', place])];
  return async (...command) => {
    const { stdout } = await run('apt-get', [...options, ...command], { cwd: folder, timeout: 240_000 });
    return stdout;
  };
}

function reason(cause: unknown): string {
  const text = cause instanceof Error && 'stderr' in cause && cause.stderr ? String(cause.stderr) : String(cause);
  return text.trim().split('\n').at(-1) ?? '';
}
