import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { isRoot, postgresUser, run, type SystemUser } from '../../services/embedded/system.ts';
import { type FakeClock, fakeClock } from '../support/faketime.ts';
import { type DebianPostgres, debianPostgres } from '../support/postgres-program.ts';
import { eventually } from '../support/wait.ts';
import { kill, query } from './embedded-rig.ts';

/** A primary and a standby without which nothing is committed: two real servers of Debian's on this machine. */
export interface Pair {
  /** Of both servers, such as `15.18`. */
  version: string;
  /** Both hosts, the one that is the standby first. `primaryPort`: where the primary is found, in place of its own port. */
  urlOf(primaryPort?: number): string;
  primaryPort: number;
  /** Each by itself. */
  primary: string;
  standby: string;
  /** SIGKILL to the primary and everything of it. */
  killPrimary(): Promise<void>;
  /** Lets the primary commit without the standby, which follows it no more: what is confirmed from then on it lacks. */
  leaveStandbyBehind(): Promise<void>;
  /** Makes the standby the primary, as a failover manager does; from then on it waits for nobody. */
  promote(): Promise<void>;
  /** The clock of each, if they were started with such. */
  clocks: { primary: FakeClock; standby: FakeClock } | null;
}

/** Starts both and an empty database. They end with the test. `clocks: 'settable'`: each has a clock that the test sets. */
export async function startPair(clocks: 'of the machine' | 'settable' = 'of the machine'): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-pair-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const user = isRoot() ? await postgresUser() : null;
  const postgres = await debianPostgres(user, folder);
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  const ports = [await freePort(), await freePort()] as const;

  await run('install', ['-d', '-m', '700', one], null, folder);
  await own(one, user);
  const variables = Object.entries(postgres.env).map(([name, value]) => `${name}=${value}`);
  const initdb = [postgres.program('initdb'), '-D', one, '-U', 'tocsin', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
  await run('env', [...variables, ...initdb], user, one);
  await appendFile(join(one, 'postgresql.conf'), CONF);
  await cp(one, two, { recursive: true, preserveTimestamps: true });
  await writeFile(join(two, 'standby.signal'), '');
  const from = `host=127.0.0.1 port=${ports[0]} user=tocsin application_name=two`;
  await appendFile(join(two, 'postgresql.conf'), `primary_conninfo = '${from}'\n`);
  await run('chmod', ['-R', 'u=rwX,go=', two], null, folder);
  await own(two, user);

  const settable = clocks === 'settable' ? await settableClocks(folder, user) : null;
  const primary = startServer(postgres, one, ports[0], user, settable?.primary);
  const urlOf = (port: number) => `postgres://tocsin@127.0.0.1:${port}/postgres`;
  await answers(urlOf(ports[0]));
  startServer(postgres, two, ports[1], user, settable?.standby);
  await answers(urlOf(ports[1]));
  await query(urlOf(ports[0]), "ALTER SYSTEM SET synchronous_standby_names = 'two'");
  await query(urlOf(ports[0]), 'SELECT pg_reload_conf()');
  const isSync = "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'";
  await eventually(async () => (await query(urlOf(ports[0]), isSync)).length === 1, { what: 'the standby to follow' });
  return {
    version: postgres.version,
    urlOf: (primaryPort = ports[0]) => `postgres://tocsin@127.0.0.1:${ports[1]},127.0.0.1:${primaryPort}/postgres`,
    primaryPort: ports[0],
    primary: urlOf(ports[0]),
    standby: urlOf(ports[1]),
    clocks: settable,
    killPrimary: () => kill(primary),
    async leaveStandbyBehind() {
      for (const [port, setting] of [
        [ports[0], "synchronous_standby_names = ''"],
        [ports[1], "primary_conninfo = ''"],
      ] as const) {
        await query(urlOf(port), `ALTER SYSTEM SET ${setting}`);
        await query(urlOf(port), 'SELECT pg_reload_conf()');
      }
      const followers = 'SELECT FROM pg_stat_replication';
      await eventually(async () => (await query(urlOf(ports[0]), followers)).length === 0, {
        what: 'the standby to fall behind',
      });
    },
    async promote() {
      await query(urlOf(ports[1]), 'SELECT pg_promote()');
    },
  };
}

const CONF = `
wal_level = replica
max_connections = 100
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
wal_receiver_timeout = 5s
`;

async function settableClocks(folder: string, user: SystemUser | null) {
  const [primary, standby] = await Promise.all(['primary', 'standby'].map(name => fakeClock(folder, user, name)));
  return { primary: primary!, standby: standby! };
}

function startServer(
  { program, env }: DebianPostgres,
  folder: string,
  port: number,
  user: SystemUser | null,
  clock?: FakeClock,
) {
  const server = spawn(program('postgres'), ['-D', folder, '-p', String(port)], {
    cwd: folder,
    stdio: 'ignore',
    env: { LC_ALL: 'C', ...env, ...clock?.env },
    ...user,
  });
  onTestFinished(() => kill(server));
  return server;
}

function answers(url: string): Promise<unknown> {
  const isThere = () =>
    query(url, 'SELECT 1').then(
      () => true,
      () => false,
    );
  return eventually(isThere, { what: `a server at ${url} to answer` });
}

async function own(folder: string, user: SystemUser | null): Promise<void> {
  if (user === null) return;
  await chown(folder, user.uid, user.gid);
  await run('chown', ['-R', `${user.uid}:${user.gid}`, folder], null, '/');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
