import { eventually } from '../../support/wait.ts';
import type { PatroniCluster } from './cluster.ts';
import type { Deployment } from './deployment.ts';
import type { Node } from './node.ts';

/** Something that happens to a cluster. */
export interface Strike {
  what: string;
  /** Resolves when it has come to what is to be seen of it: another leader, or nobody who takes anything. */
  strike(cluster: PatroniCluster, leader: Node, deployment: Deployment): Promise<void>;
  /** What the cluster comes to by itself; whole where nothing is said. */
  ends?: 'whole' | 'without a standby';
  /** Puts right what does not put itself right. */
  undo?(cluster: PatroniCluster, leader: Node): void;
}

/** How long nobody may take anything before it is believed that nobody does. */
const NOTHING_TAKEN_MS = 3_000;

export const KILL: Strike = {
  what: 'the leader is killed',
  async strike(cluster, leader) {
    await leader.kill();
    await cluster.leaderAfter(leader);
  },
  undo: (_, leader) => leader.start(),
};

export const SWITCHOVER: Strike = {
  what: 'a switchover',
  async strike(cluster, leader) {
    await cluster.switchOver(leader);
    await cluster.leaderAfter(leader);
  },
};

export const CUT: Strike = {
  what: 'the leader is cut off, and the product still reaches it',
  async strike(cluster, leader) {
    leader.cutOff();
    await cluster.leaderAfter(leader);
  },
  undo: (_, leader) => leader.mend(),
};

/**
 * The same with a Patroni that overwrites the key of the next leader, which is rewound: what that one confirmed is gone, and the
 * one that woke leads again, without a standby.
 */
export const REWIND: Strike = {
  what: 'the leader stands still, wakes and takes the lead back',
  async strike(cluster, leader, deployment) {
    let still = leader;
    for (let tries = 1; ; tries++) {
      await STANDSTILL.strike(cluster, still, deployment);
      if (await takesTheLeadBack(cluster, still)) return;
      if (tries === STANDSTILLS) throw new Error(`No leader took the lead back in ${tries} tries.`);
      still = await cluster.healthy();
    }
  },
  ends: 'without a standby',
};

/** How often it is tried: whether a leader that wakes overwrites the key hangs on where in its round it stood still. */
const STANDSTILLS = 4;

async function takesTheLeadBack(cluster: PatroniCluster, woken: Node): Promise<boolean> {
  const isBack = async () => (await cluster.leader()) === woken;
  return eventually(isBack, { what: 'the one that woke to lead again', within: 15_000 }).catch(() => false);
}

/** It wakes when calls have been taken again for a while: what was confirmed meanwhile is what may be lost. */
export const STANDSTILL: Strike = {
  what: 'the leader stands still and wakes after the failover',
  async strike(cluster, leader, { load, facade }) {
    leader.freeze();
    await cluster.leaderAfter(leader);
    await load.more(400, [facade]);
    leader.thaw();
  },
};

export const QUORUM: Strike = {
  what: 'etcd loses its quorum',
  async strike({ etcds }, _, { load }) {
    await Promise.all(etcds.slice(1).map(etcd => etcd.kill()));
    const taken = (since: number) => load.answered.filter(({ status, began }) => status === 202 && began >= since);
    // Nothing is accepted from when the leader notes that it may lead no longer.
    const refusedSince = await eventually(
      () => {
        const now = performance.now();
        const refused = load.answered.filter(
          ({ status, answered }) => status === 503 && answered > now - NOTHING_TAKEN_MS,
        );
        return refused.length > 0 && taken(now - NOTHING_TAKEN_MS).length === 0 && now;
      },
      { what: 'nothing to be accepted', within: 60_000 },
    );
    const later = load.answered.length + 20;
    await eventually(() => load.answered.length >= later, { what: 'more answers' });
    if (taken(refusedSince).length > 0) throw new Error('Calls were accepted by a cluster without a quorum.');
    for (const etcd of etcds.slice(1)) etcd.restart();
  },
};
