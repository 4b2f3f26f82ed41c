import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SystemUser } from '../../../services/embedded/system.ts';
import { eventually } from '../../support/wait.ts';
import { ownPort } from '../cluster/ports.ts';
import { kill } from '../embedded-rig.ts';
import type { Packages } from './packages.ts';

/** One of three etcd servers. */
export interface Etcd {
  port: number;
  kill(): Promise<void>;
  /** Starts it again on its data. */
  restart(): void;
}

const MEMBERS = 3;

/** Starts three that know each other. They end with the test. */
export async function startEtcd(packages: Packages, folder: string, user: SystemUser | null): Promise<Etcd[]> {
  const ports = await Promise.all(
    Array.from({ length: MEMBERS }, async () => ({ client: await ownPort(), peer: await ownPort() })),
  );
  const all = ports.map(({ peer }, nth) => `e${nth}=http://127.0.0.1:${peer}`).join(',');
  const etcds = ports.map(({ client, peer }, nth) => {
    const [at, peerAt] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
    const settings = {
      name: `e${nth}`,
      'data-dir': join(folder, `etcd${nth}`),
      'listen-client-urls': at,
      'advertise-client-urls': at,
      'listen-peer-urls': peerAt,
      'initial-advertise-peer-urls': peerAt,
      'initial-cluster': all,
      'initial-cluster-state': 'new',
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const start = () => spawn(packages.etcd, args, { cwd: folder, env: packages.env, stdio: 'ignore', ...user });
    let life: ChildProcess = start();
    onTestFinished(() => kill(life));
    return {
      port: client,
      kill: () => kill(life),
      restart() {
        life = start();
      },
    };
  });
  // Patroni 3.0.2 dies of the word that stands there until they have agreed on a version.
  await eventually(async () => /^\d/.test((await version(ports[0]!.client)).etcdcluster), { what: 'etcd to agree' });
  return etcds;
}

async function version(port: number): Promise<{ etcdcluster: string }> {
  return (await (await fetch(`http://127.0.0.1:${port}/version`)).json()) as { etcdcluster: string };
}
