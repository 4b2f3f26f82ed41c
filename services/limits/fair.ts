/** What bounds a queue for something scarce. Absent: no bound. */
export interface Bounds {
  /** How many places there are. */
  places?: number;
  /** Tells whether a party that holds `held` of them may take one more while `free` are left. */
  mayTake?(held: number, free: number): boolean;
  /** How many of one party may wait. */
  waiting?: number;
  /** How long one waits, in milliseconds. */
  patienceMs?: number;
  /** Who goes next: whoever has waited longest, or one of the party whose last turn is longest ago. */
  next?: 'longest_waiting' | 'parties_in_turn';
}

/** Why there is no place: too many of the party wait, or none came in time. */
export type NoPlace = 'too_many' | 'too_late';

/** Shares something scarce among parties, such as accounts. */
export interface Fair {
  /** Resolves with a place, to be given back once, or with why there is none. */
  enter(party: string): Promise<Disposable | NoPlace>;
  /** Tells whether no place is taken, and nobody waits. */
  isIdle(): boolean;
}

interface Waiting {
  party: string;
  go(): void;
}

export function createFair(bounds: Bounds): Fair {
  const { places = Number.POSITIVE_INFINITY, mayTake = () => true } = bounds;
  const { waiting: waitingMost = Number.POSITIVE_INFINITY, patienceMs, next = 'longest_waiting' } = bounds;
  const held = new Map<string, number>();
  const lastTurn = new Map<string, number>();
  const waiting: Waiting[] = [];
  let free = places;
  let turn = 0;

  const isIdle = () => held.size === 0 && waiting.length === 0;
  const fits = (party: string) => free > 0 && mayTake(held.get(party) ?? 0, free);

  function take(party: string): Disposable {
    held.set(party, (held.get(party) ?? 0) + 1);
    lastTurn.set(party, ++turn);
    free--;
    return { [Symbol.dispose]: () => giveBack(party) };
  }

  function giveBack(party: string): void {
    const left = held.get(party)! - 1;
    if (left > 0) held.set(party, left);
    else held.delete(party);
    free++;
    for (let one = nextOne(); one !== undefined; one = nextOne()) {
      waiting.splice(waiting.indexOf(one), 1);
      one.go();
    }
    if (isIdle()) lastTurn.clear();
  }

  function nextOne(): Waiting | undefined {
    let found: Waiting | undefined;
    for (const one of waiting) {
      if (!fits(one.party)) continue;
      if (next === 'longest_waiting') return one;
      if (found === undefined || lastTurnOf(one) < lastTurnOf(found)) found = one;
    }
    return found;
  }

  const lastTurnOf = ({ party }: Waiting) => lastTurn.get(party) ?? 0;

  return {
    isIdle,
    async enter(party) {
      if (fits(party)) return take(party);
      if (waitingMost < Number.POSITIVE_INFINITY) {
        if (waiting.filter(one => one.party === party).length >= waitingMost) return 'too_many';
      }
      return new Promise(resolve => {
        const one: Waiting = {
          party,
          go() {
            clearTimeout(patience);
            resolve(take(party));
          },
        };
        const giveUp = () => {
          waiting.splice(waiting.indexOf(one), 1);
          resolve('too_late');
        };
        const patience = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
        waiting.push(one);
      });
    },
  };
}

/** Runs work when its party has a place; nobody is refused. */
export type InTurn = <T>(party: string, work: () => Promise<T>) => Promise<T>;

/** Runs what takes long for everybody one at a time: parties take turns, and what one party asks for keeps its order. */
export function createInTurn(): InTurn {
  return runIn(createFair({ places: 1, next: 'parties_in_turn' }));
}

/**
 * Runs `most` of each party at once, the others after them. For work that goes on after its caller has gone, such as reads of the
 * database: a place is free again once its work is done.
 */
export function createHeldTurns(most: number): InTurn {
  return runIn(createFair({ mayTake: held => held < most }));
}

function runIn(fair: Fair): InTurn {
  return async (party, work) => {
    // Without a bound on waiting there is always a place in the end.
    using _place = (await fair.enter(party)) as Disposable;
    return await work();
  };
}
