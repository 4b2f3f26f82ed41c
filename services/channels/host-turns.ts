import type { AttemptOutcome } from '../domain/delivery.ts';
import { mayTake } from '../domain/turns.ts';
import { createFair, type Fair } from '../limits/fair.ts';

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

/**
 * Creates the turns. An account has a share of each host (domain/turns.ts `mayTake`), like its share of the channel.
 */
export function createHostTurns(atOnce = AT_ONCE, turnS = TURN_S): HostTurns {
  const hosts = new Map<string, Fair>();

  function hostOf(name: string): Fair {
    const host = hosts.get(name) ?? createFair({ places: atOnce, mayTake, patienceMs: turnS * 1000 });
    hosts.set(name, host);
    return host;
  }

  return {
    async at(name, accountId, work) {
      const host = hostOf(name);
      const place = await host.enter(accountId);
      if (typeof place === 'string') return 'busy';
      try {
        return await work();
      } finally {
        place[Symbol.dispose]();
        if (host.isIdle()) hosts.delete(name);
      }
    },
  };
}
