import type { AttemptOutcome } from '../domain/delivery.ts';
import { mayTake } from '../domain/turns.ts';

/** How many requests to one host are under way at once: a host that hangs must leave the channel to the others. */
const AT_ONCE = 16;

/**
 * How long a message waits for its turn at a busy host, and how long it is put off if the turn does not come, in
 * seconds. While it waits it holds one of its account's places on the channel; otherwise messages to a host that hangs
 * would be leased and put off as fast as the database can.
 */
export const TURN_S = 1;

/** The outcome of a message whose turn did not come. */
export const HOST_BUSY: AttemptOutcome = {
  kind: 'put_off',
  reason: 'too many messages to this host are under way',
  afterS: TURN_S,
};

/** Turns at hosts that owners name: many accounts may name the same one. */
export interface HostTurns {
  /**
   * Runs `work` when it is this account's turn at the host. Returns `busy`, without running it, if the turn does not
   * come within TURN_S.
   */
  at<Result>(host: string, accountId: string, work: () => Promise<Result>): Promise<Result | 'busy'>;
}

interface Host {
  /** How many requests of each account are under way. */
  held: Map<string, number>;
  free: number;
  waiting: Waiting[];
}

interface Waiting {
  accountId: string;
  /** Its turn has come. */
  go(): void;
}

/**
 * Creates the turns. An account has a share of each host (domain/turns.ts `mayTake`), like its share of the channel.
 */
export function createHostTurns(atOnce = AT_ONCE, turnS = TURN_S): HostTurns {
  const hosts = new Map<string, Host>();

  function hostOf(name: string): Host {
    const host = hosts.get(name) ?? { held: new Map(), free: atOnce, waiting: [] };
    hosts.set(name, host);
    return host;
  }

  async function turnAt(host: Host, accountId: string): Promise<'come' | 'busy'> {
    if (take(host, accountId) === 'taken') return 'come';
    return new Promise(resolve => {
      const waiting = {
        accountId,
        go() {
          clearTimeout(patience);
          resolve('come');
        },
      };
      const patience = setTimeout(() => {
        host.waiting.splice(host.waiting.indexOf(waiting), 1);
        resolve('busy');
      }, turnS * 1000);
      host.waiting.push(waiting);
    });
  }

  return {
    async at(name, accountId, work) {
      const host = hostOf(name);
      if ((await turnAt(host, accountId)) === 'busy') return 'busy';
      try {
        return await work();
      } finally {
        giveBack(host, accountId);
        if (host.free === atOnce && host.waiting.length === 0) hosts.delete(name);
      }
    },
  };
}

function take(host: Host, accountId: string): 'taken' | 'not_its_turn' {
  const held = host.held.get(accountId) ?? 0;
  if (!mayTake(held, host.free)) return 'not_its_turn';
  host.held.set(accountId, held + 1);
  host.free--;
  return 'taken';
}

/** Returns a place, and lets those go that may take it now, longest waiting first. */
function giveBack(host: Host, accountId: string): void {
  const left = host.held.get(accountId)! - 1;
  if (left === 0) host.held.delete(accountId);
  else host.held.set(accountId, left);
  host.free++;
  for (const waiting of [...host.waiting]) {
    if (take(host, waiting.accountId) === 'not_its_turn') continue;
    host.waiting.splice(host.waiting.indexOf(waiting), 1);
    waiting.go();
  }
}
