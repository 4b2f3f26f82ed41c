/** How many may wait at once, in all and from one network. */
export interface PlacesMost {
  all: number;
  network: number;
}

/** A place that somebody waits in. Given back when disposed of. */
export interface WaitingPlace extends Disposable {
  /** Rejects when the place goes to somebody else. */
  lost: Promise<never>;
}

/** Whoever has had a place for so long, in milliseconds, waits for something that hangs: others come first. */
const HELD_MS = 1_000;

/**
 * Shares a few places among networks. Where all are taken, somebody of a network that has fewer gets that of the one who
 * has waited for longest in the network that has most: two networks must not keep out all the others. `now` returns
 * milliseconds of a monotonic clock.
 */
export function createFairPlaces(most: PlacesMost, now: () => number = () => performance.now()) {
  interface Held {
    network: string;
    since: number;
    lose(): void;
  }
  // In the order in which they were taken.
  const held = new Set<Held>();
  const countOf = (network: string) => [...held].filter(one => one.network === network).length;

  /** Returns whose place somebody of a network gets; null if nobody's. */
  function toGiveWay(network: string): Held | null {
    const [first] = [...held]
      .filter(one => countOf(one.network) > countOf(network) + 1 && now() - one.since >= HELD_MS)
      .sort((one, other) => countOf(other.network) - countOf(one.network));
    return first ?? null;
  }

  return {
    /** Returns a place; null if there is none for somebody of this network. */
    enter(network: string): WaitingPlace | null {
      if (countOf(network) >= most.network) return null;
      if (held.size >= most.all) {
        const gives = toGiveWay(network);
        if (gives === null) return null;
        held.delete(gives);
        gives.lose();
      }
      const { promise: lost, reject } = Promise.withResolvers<never>();
      // Nobody listens any more once they are done.
      lost.catch(() => {});
      const one: Held = { network, since: now(), lose: () => reject(new Error('The place went to another network.')) };
      held.add(one);
      return { lost, [Symbol.dispose]: () => void held.delete(one) };
    },
  };
}
