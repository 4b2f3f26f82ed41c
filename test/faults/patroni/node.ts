import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SystemUser } from '../../../services/embedded/system.ts';
import { type Line, startLine } from '../../support/line.ts';
import { eventually } from '../../support/wait.ts';
import { ownPort } from '../cluster/ports.ts';
import { isAlive, kill } from '../embedded-rig.ts';
import type { Etcd } from './etcd.ts';
import type { Packages } from './packages.ts';

/** A PostgreSQL and the Patroni that looks after it. All that others and it say to each other goes through lines. */
export interface Node {
  name: string;
  /** Its PostgreSQL, without any line. */
  port: number;
  /** Its Patroni's REST port, without any line. */
  restPort: number;
  /** Through which the product finds its PostgreSQL. */
  product: Line;
  /** Cuts it off from etcd and from the other nodes without a word; the product still reaches it. */
  cutOff(): void;
  mend(): void;
  start(): void;
  /** SIGKILL to Patroni and to PostgreSQL, all of it. */
  kill(): Promise<void>;
  /** SIGSTOP to both: connections stay open, and nothing answers. */
  freeze(): void;
  thaw(): void;
}

/** What decides how long a leader may be away, in seconds. */
export const TIMING = { ttl: 20, loopWait: 2, retryTimeout: 5 };

/** What nodes are made of. */
export interface Ground {
  packages: Packages;
  folder: string;
  user: SystemUser | null;
  etcds: readonly Etcd[];
}

/** Makes a node, which `start` starts. It ends with the test. */
export async function makeNode(nth: number, ground: Ground): Promise<Node> {
  const { packages, folder, user } = ground;
  const [port, restPort] = [await ownPort(), await ownPort()];
  const [replication, rest, product] = [await startLine(port), await startLine(restPort), await startLine(port)];
  const toEtcd = await Promise.all(ground.etcds.map(etcd => startLine(etcd.port)));
  const lines = [replication, rest, ...toEtcd];
  const data = join(folder, `pg${nth}`);
  const file = join(folder, `node${nth}.yml`);
  await writeFile(file, configuration(nth, ground, { port, restPort, replication, rest, toEtcd }));
  const log = openSync(join(folder, `patroni${nth}.log`), 'a');
  const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: folder, ...packages.env };
  let patroni: ChildProcess | undefined;
  const all = () => [...(patroni?.pid === undefined ? [] : [patroni.pid]), ...postgresOf(data)];
  const signal = (name: NodeJS.Signals) => {
    for (const pid of all()) if (isAlive(pid)) process.kill(pid, name);
  };
  const end = async () => {
    const victims = all();
    // Patroni first: it would start its PostgreSQL again.
    if (patroni !== undefined) await kill(patroni);
    for (const pid of victims) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    await eventually(() => !victims.some(isAlive), { what: `node ${nth} to be gone` });
  };
  onTestFinished(end);
  return {
    name: `n${nth}`,
    port,
    restPort,
    product,
    cutOff() {
      for (const line of lines) line.silence();
    },
    mend() {
      for (const line of lines) line.mend();
    },
    start() {
      patroni = spawn(packages.python, [packages.patroni, file], {
        stdio: ['ignore', log, log],
        cwd: folder,
        env,
        ...user,
      });
    },
    kill: end,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  };
}

/** The process ids of a postmaster and of all that it started; none where there is none. */
function postgresOf(data: string): number[] {
  let postmaster: string;
  try {
    postmaster = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]!;
  } catch {
    return [];
  }
  const isChild = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1] === postmaster;
    } catch {
      return false;
    }
  };
  const children = readdirSync('/proc').filter(name => /^\d+$/.test(name) && isChild(name));
  return [postmaster, ...children].map(Number);
}

function configuration(
  nth: number,
  { packages, folder }: Ground,
  at: { port: number; restPort: number; replication: Line; rest: Line; toEtcd: readonly Line[] },
): string {
  const hba = ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'];
  // JSON is YAML, and what is named here holds for all nodes once the first has said it.
  return JSON.stringify({
    scope: 'tocsin',
    name: `n${nth}`,
    restapi: { listen: `127.0.0.1:${at.restPort}`, connect_address: `127.0.0.1:${at.rest.port}` },
    // With proxies it goes by these addresses alone, and does not ask etcd for others.
    etcd3: { hosts: at.toEtcd.map(({ port }) => `127.0.0.1:${port}`), use_proxies: true },
    bootstrap: {
      dcs: {
        ttl: TIMING.ttl,
        loop_wait: TIMING.loopWait,
        retry_timeout: TIMING.retryTimeout,
        synchronous_mode: true,
        maximum_lag_on_failover: 1_048_576,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: {
            max_connections: 100,
            shared_buffers: '32MB',
            wal_log_hints: 'on',
            wal_keep_size: '64MB',
            wal_receiver_timeout: '5s',
            wal_sender_timeout: '5s',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, 'data-checksums', { auth: 'trust' }, { locale: 'C.UTF-8' }],
      pg_hba: hba,
    },
    postgresql: {
      listen: `127.0.0.1:${at.port}`,
      connect_address: `127.0.0.1:${at.replication.port}`,
      data_dir: join(folder, `pg${nth}`),
      bin_dir: packages.postgres,
      pgpass: join(folder, `pgpass${nth}`),
      authentication: {
        superuser: { username: 'postgres', password: 'x' },
        replication: { username: 'replicator', password: 'x' },
      },
      parameters: { unix_socket_directories: '' },
      pg_hba: hba,
    },
  });
}
