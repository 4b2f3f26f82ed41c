/** How many statements of one kind may be under way. Two keep the database busy; more only make each other wait. */
const MAX_UNDER_WAY = 2;

/** The most items of one statement: bounds what one slow statement can hold up. */
const MAX_ITEMS = 500;

interface Waiting<Item, Result> {
  item: Item;
  deadline: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** The item waited too long for its turn and was not run. */
export class TooLate extends Error {
  override name = 'TooLate';
}

/**
 * Group commit: items that arrive in the same tick, or while earlier ones are under way, share one run. Under little load
 * an item runs at once; the more load, the larger the groups. An item whose turn has not come after `waitMs` is given up
 * unrun (`TooLate`). `run` answers in the order of its items; when it throws, all items of that run fail with it.
 */
export function createBatch<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  waitMs: number,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || waiting.length === 0 || underWay >= MAX_UNDER_WAY) return;
    scheduled = true;
    // After the events of this tick: all calls that were read together go together.
    setImmediate(() => {
      scheduled = false;
      void flush();
    });
  }

  async function flush(): Promise<void> {
    const group = inTime(waiting.splice(0, MAX_ITEMS));
    if (group.length === 0) return schedule();
    underWay++;
    schedule();
    try {
      const results = await run(group.map(entry => entry.item));
      for (const [index, entry] of group.entries()) entry.resolve(results[index]!);
    } catch (error) {
      for (const entry of group) entry.reject(error);
    } finally {
      underWay--;
      schedule();
    }
  }

  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, deadline: performance.now() + waitMs, resolve, reject });
      schedule();
    });
}

function inTime<Item, Result>(group: Waiting<Item, Result>[]): Waiting<Item, Result>[] {
  const now = performance.now();
  const late = group.filter(entry => entry.deadline < now);
  for (const entry of late) entry.reject(new TooLate(`Gave up after waiting for a turn.`));
  return late.length === 0 ? group : group.filter(entry => entry.deadline >= now);
}
