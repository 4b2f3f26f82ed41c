/** The most items of one statement: limits what one slow statement can hold up. */
const MAX_ITEMS = 500;

/** From how many waiting items on a second parallel run is worth its cost, if there may be two. */
const SECOND_FROM_ITEMS = 100;

/**
 * When a group returns and fewer items wait than three quarters of its size, the next run waits a little: the callers
 * answered just now are about to return, and together they cost the database a fraction of what they cost one by one.
 * After small groups, that is under little load, nothing waits.
 */
const GATHER_AFTER_ITEMS = 16;
const GATHER_MS = 1;

/** The share of the last group's size at which the next one counts as complete. */
const GATHERED = 0.75;

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
 * Group commit: items that arrive in the same tick, or while earlier ones are under way, share one run. Under little
 * load an item runs at once; the higher the load, the larger the groups. An item whose turn has not come after `waitMs`
 * is dropped without being run (`TooLate`). `run` answers in the order of its items; if it throws, all items of that
 * run fail. `atOnce`: how many runs may be under way. `turnOf`: the party an item belongs to; if more wait than one run
 * takes, parties take turns.
 */
export function createGroupCommit<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  waitMs: number,
  { atOnce = 2, turnOf = () => '' }: { atOnce?: 1 | 2; turnOf?: (item: Item) => string } = {},
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;
  let lastGroup = 0;
  let flushing: 'no' | 'soon' | 'gathering' = 'no';
  let gathering: NodeJS.Timeout | undefined;

  function schedule(): void {
    if (flushing === 'gathering' && waiting.length >= lastGroup * GATHERED) {
      clearTimeout(gathering);
      flushing = 'no';
    }
    if (flushing !== 'no' || waiting.length === 0 || !mayRun()) return;
    flushing = 'soon';
    // After the events of this tick, so that all calls read together go together.
    setImmediate(flush);
  }

  function mayRun(): boolean {
    return underWay === 0 || (underWay < atOnce && waiting.length >= SECOND_FROM_ITEMS);
  }

  /** Runs before the answered callers are notified, so that the database works meanwhile. */
  function next(answered: number): void {
    if (waiting.length === 0 || flushing !== 'no' || !mayRun()) return;
    if (answered < GATHER_AFTER_ITEMS || waiting.length >= answered * GATHERED) return void flush();
    flushing = 'gathering';
    gathering = setTimeout(flush, GATHER_MS);
  }

  function takeGroup(): Waiting<Item, Result>[] {
    if (waiting.length <= MAX_ITEMS) return waiting.splice(0);
    const taken = new Set(inTurn(waiting, ({ item }) => turnOf(item)));
    waiting = waiting.filter(entry => !taken.has(entry));
    return [...taken];
  }

  async function flush(): Promise<void> {
    flushing = 'no';
    const group = inTime(takeGroup());
    if (group.length === 0) return;
    lastGroup = group.length;
    underWay++;
    schedule();
    const answers = await run(group.map(entry => entry.item)).then(
      results => (index: number, entry: Waiting<Item, Result>) => entry.resolve(results[index]!),
      error => (_index: number, entry: Waiting<Item, Result>) => entry.reject(error),
    );
    underWay--;
    next(group.length);
    for (const [index, entry] of group.entries()) answers(index, entry);
    schedule();
  }

  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, deadline: performance.now() + waitMs, resolve, reject });
      schedule();
    });
}

/** Picks as many as one run takes, parties with few waiting items first, each party's items in their order. */
function inTurn<Entry>(waiting: readonly Entry[], turnOf: (entry: Entry) => string): Entry[] {
  const lines = [...Map.groupBy(waiting, turnOf).values()];
  const group: Entry[] = [];
  for (let turn = 0; group.length < MAX_ITEMS; turn++) {
    for (const line of lines) if (turn < line.length && group.length < MAX_ITEMS) group.push(line[turn]!);
  }
  return group;
}

function inTime<Item, Result>(group: Waiting<Item, Result>[]): Waiting<Item, Result>[] {
  const now = performance.now();
  const late = group.filter(entry => entry.deadline < now);
  for (const entry of late) entry.reject(new TooLate('Gave up after waiting for a turn.'));
  return late.length === 0 ? group : group.filter(entry => entry.deadline >= now);
}
