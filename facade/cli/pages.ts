import { type Command, InvalidArgumentError } from 'commander';

/** Items of a list, and the token of the next page; empty at the end of the list. */
export interface Page<Item> {
  items: Item[];
  nextPageToken: string;
}

export interface PageOptions {
  /** The most to return; absent for all. */
  limit?: number;
  pageToken?: string;
}

/** The most that the services return in one page. */
const LARGEST_PAGE = 200;

/** Adds the flags of a list to a command. */
export function pageFlags(command: Command): Command {
  return command
    .option('--limit <number>', 'at most this many; all of them by default', wholeNumber)
    .option('--page-token <token>', 'continues where the previous page ended (its nextPageToken)');
}

/** Returns the whole list, page by page, or as much of it as `limit` says. Throws what `fetchPage` throws. */
export async function collect<Item>(
  { limit = Number.POSITIVE_INFINITY, pageToken = '' }: PageOptions,
  fetchPage: (pageSize: number, pageToken: string) => Promise<Page<Item>>,
): Promise<Page<Item>> {
  const items: Item[] = [];
  let next = pageToken;
  do {
    const page = await fetchPage(Math.min(LARGEST_PAGE, limit - items.length), next);
    items.push(...page.items);
    next = page.nextPageToken;
  } while (next !== '' && items.length < limit);
  return { items, nextPageToken: next };
}

/** Parses a whole number from 1, for commander. Throws what commander reports as wrong usage. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It takes a whole number from 1.');
  return Number(text);
}
