/** A page as lists are asked for. */
export interface Asked {
  pageSize: number;
  pageToken: string;
}

/** The largest page that there is, and how many of a kind a screen looks at: nobody reads more of them. */
const PAGE = 200;
const MOST = 1_000;

/** Reads a list page by page, up to a thousand. Rejects as `read` does. */
export async function readAll<T>(read: (page: Asked) => Promise<readonly [things: T[], next: string]>): Promise<T[]> {
  const all: T[] = [];
  let pageToken = '';
  do {
    const [things, next] = await read({ pageSize: PAGE, pageToken });
    all.push(...things);
    pageToken = next;
  } while (pageToken !== '' && all.length < MOST);
  return all;
}

/** A list with one in the place of what it was before, or after all others. */
export function withOne<T extends { id: string }>(all: readonly T[], one: T): T[] {
  const at = all.findIndex(({ id }) => id === one.id);
  return at === -1 ? [...all, one] : all.with(at, one);
}
