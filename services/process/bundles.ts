/** What is said on a stream, in bundles: all of one turn of the event loop, and of those before that were not taken yet. */
export interface Bundles<T> extends AsyncIterable<T[]> {
  add(one: T): void;
  /** What was added before is still given out. */
  end(): void;
}

/** Makes bundles for one reader. `onTurn` is called for each turn in which something was added. */
export function createBundles<T>(onTurn = () => {}): Bundles<T> {
  let added: T[] = [];
  let ripe: T[] = [];
  let state: 'open' | 'ended' = 'open';
  let wake = () => {};

  function ripen(): void {
    ripe = ripe.length === 0 ? added : [...ripe, ...added];
    added = [];
    onTurn();
    wake();
  }

  return {
    add(one) {
      if (added.push(one) === 1) setImmediate(ripen);
    },
    end() {
      state = 'ended';
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        if (ripe.length > 0) {
          const bundle = ripe;
          ripe = [];
          yield bundle;
        } else if (state === 'ended' && added.length === 0) return;
        else {
          await new Promise<void>(resolve => {
            wake = resolve;
          });
        }
      }
    },
  };
}
