import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from './wait.ts';

const run = promisify(execFile);
const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));

/**
 * Gives the folder in which a Debian package is unpacked: once, into the cache folder of the repository (needs no root and
 * changes nothing outside it). `packages` names what to unpack beside it. Throws where it cannot be had, with apt's last words.
 */
export async function unpackedFromDebian(
  name: string,
  { packages = async () => [name] }: { packages?: (apt: Apt) => Promise<string[]> } = {},
): Promise<string> {
  const unpacked = join(cache, name);
  const lock = join(cache, `${name}.lock`);
  await mkdir(cache, { recursive: true });
  const turn = await eventually(
    async () => ((await succeeds(access(unpacked))) ? 'unpacked' : (await takeLock(lock)) ? 'ours' : null),
    { what: `another test process to unpack ${name}`, within: 280_000 },
  );
  if (turn === 'ours') await unpack(name, packages, unpacked).finally(() => rm(lock, { force: true }));
  return unpacked;
}

/** Runs apt-get and gives what it says. */
export type Apt = (...command: string[]) => Promise<string>;

/** The lock only saves work: what is unpacked appears by a rename, so that two at once would do no harm. */
async function takeLock(lock: string): Promise<boolean> {
  if (await succeeds(writeFile(lock, String(process.pid), { flag: 'wx' }))) return true;
  const holder = Number(await readFile(lock, 'utf8').catch(() => process.pid));
  if (holder > 0 && !isAlive(holder)) await rm(lock, { force: true });
  return false;
}

async function unpack(name: string, packages: (apt: Apt) => Promise<string[]>, unpacked: string): Promise<void> {
  const folder = await mkdtemp(join(cache, `${name}-`));
  try {
    const apt = await aptIn(folder);
    await apt('update');
    await apt('download', ...(await packages(apt)));
    const archives = (await readdir(folder)).filter(file => file.endsWith('.deb'));
    for (const archive of archives) await run('dpkg', ['-x', archive, join(folder, 'unpacked')], { cwd: folder });
    await rename(join(folder, 'unpacked'), unpacked);
  } catch (cause) {
    if (!(await succeeds(access(unpacked)))) throw new Error(reason(cause));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

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
