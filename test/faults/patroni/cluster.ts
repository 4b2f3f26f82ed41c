import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { isRoot, postgresUser } from '../../../services/embedded/system.ts';
import { eventually } from '../../support/wait.ts';
import { query } from '../embedded-rig.ts';
import { type Etcd, startEtcd } from './etcd.ts';
import { makeNode, type Node } from './node.ts';
import { debianPatroni } from './packages.ts';

/** Three PostgreSQL servers that Patroni looks after, on three etcd servers: real ones, on this machine. */
export interface PatroniCluster {
  nodes: Node[];
  etcds: Etcd[];
  /** What DATABASE_URL takes: all nodes, through lines. */
  url(database: string): string;
  /** A database at one node, without any line. */
  at(node: Node, database: string): string;
  /** Who leads, as the others have it; null: nobody does, or nobody answers. */
  leader(): Promise<Node | null>;
  /** Waits until one leads, one follows it synchronously and all run; gives the one that leads. */
  healthy(): Promise<Node>;
  /** Waits until another one leads. */
  leaderAfter(before: Node): Promise<Node>;
  switchOver(from: Node): Promise<void>;
}

interface Member {
  name: string;
  role: string;
  state: string;
  lag?: number | string;
}

const NODES = 3;

const HEALTHY_MS = 120_000;

/** Starts all of it, with an empty database of the role `tocsin`. It ends with the test. */
export async function startPatroniCluster(
  database: string,
  patroni: Parameters<typeof debianPatroni>[2],
): Promise<PatroniCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-patroni-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const user = isRoot() ? await postgresUser() : null;
  await chmod(folder, 0o755);
  if (user !== null) await chown(folder, user.uid, user.gid);
  const packages = await debianPatroni(folder, user, patroni);
  const etcds = await startEtcd(packages, folder, user);
  const ground = { packages, folder, user, etcds };
  const nodes = await Promise.all(Array.from({ length: NODES }, (_, nth) => makeNode(nth, ground)));
  for (const node of nodes) node.start();

  const named = (name: string | undefined) => nodes.find(node => node.name === name) ?? null;
  const leader = async () => named((await members(nodes)).find(({ role }) => role === 'leader')?.name);
  const at = (node: Node, name: string) => `postgres://postgres@127.0.0.1:${node.port}/${name}`;
  const healthy = () =>
    eventually(async () => named(healthyLeader(await members(nodes))), {
      what: 'one node to lead, one to follow synchronously, and all to run',
      within: HEALTHY_MS,
    });

  const first = at(await healthy(), 'postgres');
  for (const sql of ['CREATE ROLE tocsin LOGIN', `CREATE DATABASE ${database} OWNER tocsin`]) await query(first, sql);
  return {
    nodes,
    etcds,
    url: name => `postgres://tocsin@${nodes.map(node => `127.0.0.1:${node.product.port}`).join(',')}/${name}`,
    at,
    leader,
    healthy,
    leaderAfter: before =>
      eventually(
        async () => {
          const now = await leader();
          return now === before ? null : now;
        },
        { what: 'another node to lead', within: HEALTHY_MS },
      ),
    async switchOver(from) {
      const to = (await members(nodes)).find(({ role }) => role === 'sync_standby');
      const answer = await fetch(`http://127.0.0.1:${from.restPort}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: from.name, candidate: to?.name }),
      });
      if (answer.status !== 200) throw new Error(`The switchover was refused: ${await answer.text()}`);
    },
  };
}

/** All members as most of the nodes know them: one that is cut off may take itself for the leader. */
async function members(nodes: readonly Node[]): Promise<Member[]> {
  const told = await Promise.all(nodes.map(node => membersAt(node).catch(() => [])));
  const byLeader = Map.groupBy(told, all => all.find(({ role }) => role === 'leader')?.name ?? '');
  byLeader.delete('');
  const [most] = [...byLeader.values()].toSorted((a, b) => b.length - a.length);
  return most?.[0] ?? [];
}

async function membersAt(node: Node): Promise<Member[]> {
  const answer = await fetch(`http://127.0.0.1:${node.restPort}/cluster`, { signal: AbortSignal.timeout(1_500) });
  return ((await answer.json()) as { members: Member[] }).members;
}

/** The name of the leader of a cluster that is whole. */
function healthyLeader(all: readonly Member[]): string {
  const runs = ({ role, state, lag = 0 }: Member) =>
    /running|streaming/.test(state) && (role === 'leader' || lag === 0);
  const leader = all.find(({ role }) => role === 'leader');
  const isWhole = all.length === NODES && all.every(runs) && all.some(({ role }) => role === 'sync_standby');
  if (isWhole && leader !== undefined) return leader.name;
  throw new Error(JSON.stringify(all));
}
