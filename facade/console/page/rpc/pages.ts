/** The page of a list to ask for. */
export interface Asked {
  pageSize: number;
  pageToken: string;
}

/** The part of a list that was asked for. */
export interface Some<T> {
  things: T[];
  rest: 'more' | 'none';
}

/** The largest page that there is. */
const PAGE = 200;

/** Reads the first `count` of a list page by page; `read` gives what a page holds and its `next_page_token`. Rejects as `read` does. */
export async function readSome<T>(
  count: number,
  read: (page: Asked) => Promise<readonly [things: T[], next: string]>,
): Promise<Some<T>> {
  const things: T[] = [];
  let pageToken = '';
  do {
    const [some, next] = await read({ pageSize: Math.min(PAGE, count - things.length), pageToken });
    things.push(...some);
    pageToken = next;
  } while (pageToken !== '' && things.length < count);
  return { things, rest: pageToken === '' ? 'none' : 'more' };
}

/** Reads a list to its end. Rejects as `read` does. */
export async function readAll<T>(read: (page: Asked) => Promise<readonly [things: T[], next: string]>): Promise<T[]> {
  return (await readSome(Number.POSITIVE_INFINITY, read)).things;
}

/** Returns a list with one entry replaced by its new state, or added at the end. */
export function withOne<T extends { id: string }>(all: readonly T[], one: T): T[] {
  const at = all.findIndex(({ id }) => id === one.id);
  return at === -1 ? [...all, one] : all.with(at, one);
}
