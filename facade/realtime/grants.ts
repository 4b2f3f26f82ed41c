import type { Logger } from 'pino';
import { type Bus, subjects } from '../../services/changes/bus.ts';
import type { Authority, Grant } from './authority.ts';
import { ENDINGS, type Ending } from './protocol.ts';

/** A socket, as far as grants need it. */
export interface Listener {
  /** The grants it listens by, one for each secret it presented. */
  readonly holders: Holder[];
  /** When its client last answered, or said anything, as performance.now() counts. */
  readonly heardAt: number;
  end(ending: Ending): void;
}

/** The sockets that listen by one grant, that is by one secret of one key. */
export interface Holder {
  readonly keyId: string;
  readonly accountId: string;
  readonly grant: string;
  readonly peers: Set<Listener>;
}

/** How many sockets may listen with one key, and with all keys of one account (REALTIME.md 5.11). */
export interface MostSockets {
  ofKey: number;
  ofAccount: number;
}

/** A socket that was heard within this time shows that its sender lives, in milliseconds. */
const LIVES_MS = 60_000;

/**
 * Ends the sockets whose key has ended (REALTIME.md 5.7): at once on a message from the bus, and by checking all of
 * them every few seconds, because such a message may get lost.
 */
export class Grants {
  readonly #authority: Authority;
  readonly #log: Logger;
  readonly #most: MostSockets;
  readonly #holders = new Map<string, Holder>();
  readonly #ofKey = new Map<string, Set<Holder>>();
  /** How many sockets each account has, counted once for each grant they listen by. */
  readonly #ofAccount = new Map<string, number>();
  /** Keys that just ended: an answer under way at that moment may still grant them. */
  #endedLately = new Set<string>();
  #endedBefore = new Set<string>();
  #sweep: 'idle' | 'under way' = 'idle';
  readonly #timer: NodeJS.Timeout;
  readonly #aliveMs: number;
  #aliveSaidAt = Number.NEGATIVE_INFINITY;
  readonly #unsubscribe: () => void;

  constructor(on: {
    authority: Authority;
    bus: Bus;
    log: Logger;
    most: MostSockets;
    recheckMs: number;
    aliveMs: number;
  }) {
    this.#authority = on.authority;
    this.#log = on.log;
    this.#most = on.most;
    this.#aliveMs = on.aliveMs;
    this.#timer = setInterval(() => this.#sweepAll(), on.recheckMs);
    this.#timer.unref();
    const prefix = subjects.keyRevoked('');
    this.#unsubscribe = on.bus.subscribe(subjects.keyRevoked('*'), (_, subject) =>
      this.#keyEnded(subject.slice(prefix.length)),
    );
  }

  /** Attaches a socket to a grant. Attaching twice has no further effect. */
  attach(peer: Listener, { grant, keyId, accountId }: Grant): 'attached' | 'too_many' {
    const holder = this.#holders.get(grant) ?? { keyId, accountId, grant, peers: new Set<Listener>() };
    if (holder.peers.has(peer)) return 'attached';
    const ofKey = this.#ofKey.get(keyId) ?? new Set<Holder>();
    const sockets = [...ofKey].reduce((sum, { peers }) => sum + peers.size, 0);
    const ofAccount = this.#ofAccount.get(accountId) ?? 0;
    if (sockets >= this.#most.ofKey || ofAccount >= this.#most.ofAccount) return 'too_many';
    this.#ofAccount.set(accountId, ofAccount + 1);
    holder.peers.add(peer);
    peer.holders.push(holder);
    this.#holders.set(grant, holder);
    this.#ofKey.set(keyId, ofKey.add(holder));
    if (this.#endedLately.has(keyId) || this.#endedBefore.has(keyId)) void this.#recheck([holder], 'end');
    return 'attached';
  }

  detach(peer: Listener): void {
    for (const holder of peer.holders.splice(0)) {
      holder.peers.delete(peer);
      const left = this.#ofAccount.get(holder.accountId)! - 1;
      if (left === 0) this.#ofAccount.delete(holder.accountId);
      else this.#ofAccount.set(holder.accountId, left);
      if (holder.peers.size === 0) this.#forget(holder);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unsubscribe();
  }

  #forget(holder: Holder): void {
    const { grant, keyId } = holder;
    this.#holders.delete(grant);
    const ofKey = this.#ofKey.get(keyId);
    ofKey?.delete(holder);
    if (ofKey?.size === 0) this.#ofKey.delete(keyId);
  }

  /** The key may have ended, or only an old secret of it: the services know which of its grants are still valid. */
  #keyEnded(keyId: string): void {
    this.#endedLately.add(keyId);
    void this.#recheck([...(this.#ofKey.get(keyId) ?? [])], 'end');
  }

  #sweepAll(): void {
    this.#endedBefore = this.#endedLately;
    this.#endedLately = new Set();
    if (this.#sweep === 'under way') return;
    this.#sweep = 'under way';
    void this.#recheck([...this.#holders.values()], 'keep', this.#alive()).finally(() => {
      this.#sweep = 'idle';
    });
  }

  /** Returns the grants whose senders live (DECISIONS.md "Supervised senders"); none before it is time to say so again. */
  #alive(): ReadonlySet<string> {
    const now = performance.now();
    if (now - this.#aliveSaidAt < this.#aliveMs) return NONE;
    this.#aliveSaidAt = now;
    const holders = [...this.#holders.values()];
    const alive = holders.filter(({ peers }) => [...peers].some(({ heardAt }) => now - heardAt < LIVES_MS));
    return new Set(alive.map(({ grant }) => grant));
  }

  /**
   * `unknown`: what to do with the sockets if the services cannot be asked. A sweep keeps them; after a message about
   * an end they must reconnect, which asks again.
   */
  async #recheck(holders: readonly Holder[], unknown: 'keep' | 'end', alive = NONE): Promise<void> {
    if (holders.length === 0) return;
    try {
      const grants = holders.map(({ grant }) => grant);
      const ended = new Set(await this.#authority.ended(grants, alive));
      for (const holder of holders) if (ended.has(holder.grant)) endAll(holder, ENDINGS.keyEnded);
    } catch (error) {
      this.#log.warn({ err: error, grants: holders.length }, 'The services could not say which grants have ended.');
      if (unknown === 'end') for (const holder of holders) endAll(holder, ENDINGS.servicesUnavailable);
    }
  }
}

const NONE: ReadonlySet<string> = new Set();

function endAll({ peers }: Holder, ending: Ending): void {
  for (const peer of [...peers]) peer.end(ending);
}
