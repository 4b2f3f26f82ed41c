import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from './wait.ts';

const run = promisify(execFile);
const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));
const unpacked = join(cache, 'nats-server');
const program = join(unpacked, 'usr', 'sbin', 'nats-server');
const lock = join(cache, 'nats-server.lock');

/**
 * Gives the nats-server to start: the one on the path, else Debian's package, unpacked once into the cache folder of the
 * repository (needs no root and changes nothing outside it). Where neither can be had, one sentence says how to get it.
 */
export async function natsServerProgram(): Promise<string> {
  if (await succeeds(run('nats-server', ['--version']))) return 'nats-server';
  await mkdir(cache, { recursive: true });
  const turn = await eventually(
    async () => ((await succeeds(access(program))) ? 'unpacked' : (await takeLock()) ? 'ours' : null),
    { what: 'another test process to unpack nats-server', within: 120_000 },
  );
  if (turn === 'ours') await unpackFromDebian().finally(() => rm(lock, { force: true }));
  return program;
}

/** The lock only saves work: what is unpacked appears by a rename, so that two at once would do no harm. */
async function takeLock(): Promise<boolean> {
  if (await succeeds(writeFile(lock, String(process.pid), { flag: 'wx' }))) return true;
  const holder = Number(await readFile(lock, 'utf8').catch(() => process.pid));
  if (holder > 0 && !isAlive(holder)) await rm(lock, { force: true });
  return false;
}

async function unpackFromDebian(): Promise<void> {
  const folder = await mkdtemp(join(cache, 'nats-server-'));
  try {
    await apt(folder, 'update');
    await apt(folder, 'download', 'nats-server');
    const [archive] = (await readdir(folder)).filter(name => name.endsWith('.deb'));
    await run('dpkg', ['-x', archive ?? '', join(folder, 'unpacked')], { cwd: folder });
    await rename(join(folder, 'unpacked'), unpacked);
  } catch (cause) {
    if (await succeeds(access(program))) return;
    throw new Error(
      'The tests of the NATS bus need nats-server, which is neither on the path nor could be had as a Debian package ' +
        `(${reason(cause)}). Install it and put it on the path: apt-get install nats-server, brew install nats-server, ` +
        'or a release from github.com/nats-io/nats-server.',
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** apt-get with its lists, its cache and its sandbox kept to one folder, so that an ordinary user may run it too. */
async function apt(folder: string, ...command: string[]): Promise<void> {
  const lists = join(folder, 'lists');
  const archives = join(folder, 'cache');
  await Promise.all([lists, join(archives, 'archives')].map(path => mkdir(join(path, 'partial'), { recursive: true })));
  const places = [`Dir::State::lists=${lists}`, `Dir::Cache=${archives}`, 'APT::Sandbox::User=root'];
  await run('apt-get', ['-q', ...places.flatMap(place => ['-o', place]), ...command], { cwd: folder, timeout: 90_000 });
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
