import type { Logger } from 'pino';
import { type Bus, subjects } from '../../services/changes/bus.ts';
import type { Authority, Grant } from './authority.ts';
import { ENDINGS, type Ending } from './protocol.ts';

/** A socket, as far as its grants are concerned. */
export interface Listener {
  /** The grants by which it listens, one for each secret that it showed. */
  readonly holders: Holder[];
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

/**
 * Ends the sockets whose key has ended (REALTIME.md 5.7): at once when the bus says so, and
 * by asking about all of them every few seconds, because such a message may be lost.
 */
export class Grants {
  readonly #authority: Authority;
  readonly #log: Logger;
  readonly #most: MostSockets;
  readonly #holders = new Map<string, Holder>();
  readonly #ofKey = new Map<string, Set<Holder>>();
  /** How many sockets each account has, once for each grant by which one listens. */
  readonly #ofAccount = new Map<string, number>();
  /** Keys that ended a moment ago: an answer that was under way then may still grant them. */
  #endedLately = new Set<string>();
  #endedBefore = new Set<string>();
  #sweep: 'idle' | 'under way' = 'idle';
  readonly #timer: NodeJS.Timeout;
  readonly #unsubscribe: () => void;

  constructor(on: { authority: Authority; bus: Bus; log: Logger; most: MostSockets; recheckMs: number }) {
    this.#authority = on.authority;
    this.#log = on.log;
    this.#most = on.most;
    this.#timer = setInterval(() => this.#sweepAll(), on.recheckMs);
    this.#timer.unref();
    const prefix = subjects.keyRevoked('');
    this.#unsubscribe = on.bus.subscribe(subjects.keyRevoked('*'), (_, subject) =>
      this.#keyEnded(subject.slice(prefix.length)),
    );
  }

  /** Puts a socket under a grant. Once for each grant is enough. */
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

  /** The key or only an old secret of it: the services know which of its grants still open anything. */
  #keyEnded(keyId: string): void {
    this.#endedLately.add(keyId);
    void this.#recheck([...(this.#ofKey.get(keyId) ?? [])], 'end');
  }

  #sweepAll(): void {
    this.#endedBefore = this.#endedLately;
    this.#endedLately = new Set();
    if (this.#sweep === 'under way') return;
    this.#sweep = 'under way';
    void this.#recheck([...this.#holders.values()], 'keep').finally(() => {
      this.#sweep = 'idle';
    });
  }

  /**
   * `unknown`: what becomes of the sockets when the services cannot be asked. In a sweep they are kept; after word of an end
   * they must connect anew, which asks once more.
   */
  async #recheck(holders: readonly Holder[], unknown: 'keep' | 'end'): Promise<void> {
    if (holders.length === 0) return;
    try {
      const ended = new Set(await this.#authority.ended(holders.map(({ grant }) => grant)));
      for (const holder of holders) if (ended.has(holder.grant)) endAll(holder, ENDINGS.keyEnded);
    } catch (error) {
      this.#log.warn({ err: error, grants: holders.length }, 'The services could not say which grants have ended.');
      if (unknown === 'end') for (const holder of holders) endAll(holder, ENDINGS.servicesUnavailable);
    }
  }
}

function endAll({ peers }: Holder, ending: Ending): void {
  for (const peer of [...peers]) peer.end(ending);
}
