import { readdir, readFile, readlink, rename, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { faultCode, StartError } from '../process/start-errors.ts';
import { readIfThere } from './data-dir.ts';
import { askForFolder, type ServerAnswer, SOCKET_FILE, THIS_MACHINE } from './database.ts';
import type { Place } from './place.ts';
import { run } from './system.ts';

/**
 * Returns the port of the server already running on the cluster, null if none is. The server of a killed product keeps
 * serving. Waits for a server that is about to be ready or to stop. Removes a `postmaster.pid` whose process id belongs
 * to another program by now.
 */
export async function findServer(place: Place, password: string): Promise<number | null> {
  const pidFile = join(place.cluster, 'postmaster.pid');
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const [pid, , , port] = (await readIfThere(pidFile))?.split('\n').map(Number) ?? [];
    if (!pid || !isAlive(Math.abs(pid))) return null;
    const answer: ServerAnswer = port
      ? await askForFolder({ host: THIS_MACHINE, port, password })
      : { kind: 'no_answer' };
    if (answer.kind === 'serves' && answer.folder === place.cluster) return port ?? null;
    if (!(await servesCluster(Math.abs(pid), place.cluster))) {
      await rm(pidFile, { force: true });
      return null;
    }
    if (answer.kind === 'wrong_password') break;
    await sleep(100);
  }
  throw new StartError(
    `A PostgreSQL runs on "${place.cluster}" that neither answers to the password in postgres.json nor stops: stop it, then start again.`,
  );
}

/**
 * Starts a server that outlives this process and listens on 127.0.0.1, at `preferred` if that port is free, and on a
 * Unix socket in the cluster where the file system has such; `more` are settings beyond its own. Returns its port once
 * it answers. Its log is `postgres.log` in the cluster. Throws StartError with PostgreSQL's own words.
 */
export async function startServer(place: Place, preferred: number, more: readonly string[] = []): Promise<number> {
  const log = join(place.cluster, 'postgres.log');
  const port = await freePort(preferred);
  await keepShort(log);
  await removeSockets(place);
  const start = async (sockets: '.' | '') => {
    const settings = [...SETTINGS, `unix_socket_directories=${sockets}`, ...more].map(setting => `-c ${setting}`);
    await control(place, ['start', '-l', relative(place.folder, log), '-o', [`-p ${port}`, ...settings].join(' ')]);
  };
  try {
    await start('.').catch(async fault => {
      if (!/Unix-domain socket/.test(await lastFault(log))) throw fault;
      await start('');
    });
  } catch {
    throw new StartError(`Embedded PostgreSQL did not start: ${await lastFault(log)} (more in "${log}").`);
  }
  return port;
}

/** Removes what a killed server left: after a power cut, PostgreSQL might take another program for its owner. */
async function removeSockets({ cluster }: Place): Promise<void> {
  for (const name of await readdir(cluster)) {
    if (name.startsWith(SOCKET_FILE)) await rm(join(cluster, name), { force: true }).catch(() => {});
  }
}

/** Tells whether the process that `postmaster.pid` names is alive. */
export async function serverIsAlive(place: Place): Promise<boolean> {
  const pid = Number((await readIfThere(join(place.cluster, 'postmaster.pid')))?.split('\n')[0] ?? 0);
  return pid !== 0 && isAlive(Math.abs(pid));
}

/** Stops the server, ours or adopted, and waits until it has ended. Does nothing if it is not running. */
export async function stopServer(place: Place): Promise<void> {
  try {
    await control(place, ['stop', '-m', 'fast']);
  } catch (fault) {
    if ((await readIfThere(join(place.cluster, 'postmaster.pid'))) !== null) throw fault;
  }
}

/** As long as the recovery of a large log after a power cut may take. */
const PATIENCE_MS = 300_000;

/** Durability keeps PostgreSQL's default: on. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'max_connections=100',
  'shared_buffers=128MB',
  'timezone=UTC',
  'log_timezone=UTC',
  'log_checkpoints=off',
];

function control(place: Place, args: string[]) {
  const program = join(place.binaries.folder, 'bin', 'pg_ctl');
  return run(
    program,
    [...args, '-D', namedToShell(place), '-w', '-t', String(PATIENCE_MS / 1000)],
    place.user,
    place.folder,
  );
}

/**
 * Returns the cluster as pg_ctl may name it: it puts the name into a line for a shell, between quotes, where some signs would
 * mean something. Relative to the folder that it runs in there are none.
 */
function namedToShell({ folder, cluster }: Place): string {
  return FOR_SHELL.test(cluster) ? relative(folder, cluster) : cluster;
}

const FOR_SHELL = /["$`\\]/;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (fault) {
    return faultCode(fault) === 'EPERM';
  }
}

/** Judges by the command line `postgres -D <cluster> …`, which every user may read, or by the folder that it works in. */
async function servesCluster(pid: number, cluster: string): Promise<boolean> {
  if (FOR_SHELL.test(cluster)) return (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === cluster;
  const commandLine =
    process.platform === 'linux'
      ? readFile(`/proc/${pid}/cmdline`, 'utf8')
      : run('ps', ['-o', 'args=', '-p', String(pid)], null, '/').then(({ stdout }) => stdout);
  return commandLine.then(
    text => text.includes(cluster),
    () => false,
  );
}

function freePort(preferred: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', fault =>
      faultCode(fault) === 'EADDRINUSE' && preferred !== 0 ? freePort(0).then(resolve, reject) : reject(fault),
    );
    probe.listen({ host: '127.0.0.1', port: preferred }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : preferred));
    });
  });
}

const LOG_LIMIT_BYTES = 10_000_000;

async function keepShort(log: string): Promise<void> {
  const size = await stat(log).then(
    found => found.size,
    () => 0,
  );
  if (size > LOG_LIMIT_BYTES) await rename(log, `${log}.1`);
}

async function lastFault(log: string): Promise<string> {
  const lines = ((await readIfThere(log)) ?? '').split('\n').filter(line => /FATAL|PANIC|error/.test(line));
  return lines.at(-1)?.replace(/^.*?(FATAL|PANIC): +/, '') ?? 'it gave no reason';
}
