/** How many are reported one by one before the others of a while are only counted: for each name, and for each caller. */
const ALONE = { perName: 10, perCaller: 100 } as const;

/** How many callers are told apart, and how many names of each; what is beyond them is counted under no name. */
const MOST = { callers: 1_000, names: 100 } as const;

/** What is reported of several: the last of them, and how many there were. */
export interface Tally<One> {
  /**
   * Counts one that a caller did to `name`. Returns whether it is to be reported by itself: the first few of a while
   * are. Of `times` that were counted already none is.
   */
  note(caller: string, name: string, one: One, times?: number): 'alone' | 'counted';
  /** Returns what was only counted, and begins anew. */
  take(): { one: One; times: number }[];
}

/**
 * Bounds what is reported of something that a caller can do any number of times: the first few by themselves, the rest
 * of the while by a count (DECISIONS.md "Limited and shed calls"). Whoever uses it says when the while ends, by `take`.
 */
export function createTally<One>(): Tally<One> {
  let callers = new Map<string, { alone: number; names: Map<string, { alone: number; one: One; times: number }> }>();

  return {
    note(caller, name, one, times) {
      const of = entry(callers, caller, MOST.callers, () => ({ alone: 0, names: new Map() }));
      const named = entry(of.names, name, MOST.names, () => ({ alone: 0, one, times: 0 }));
      if (times === undefined && named.alone < ALONE.perName && of.alone < ALONE.perCaller) {
        named.alone++;
        of.alone++;
        return 'alone';
      }
      named.one = one;
      named.times += times ?? 1;
      return 'counted';
    },
    take() {
      const counted = [...callers.values()].flatMap(({ names }) => [...names.values()]);
      callers = new Map();
      return counted.filter(({ times }) => times > 0).map(({ one, times }) => ({ one, times }));
    },
  };
}

/** Those beyond `most` share one entry. */
function entry<Value>(all: Map<string, Value>, name: string, most: number, make: () => Value): Value {
  const under = all.has(name) || all.size < most ? name : '';
  const known = all.get(under);
  if (known !== undefined) return known;
  const made = make();
  all.set(under, made);
  return made;
}
