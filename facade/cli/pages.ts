import { setTimeout as sleep } from 'node:timers/promises';
import { Code, ConnectError } from '@connectrpc/connect';
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

/**
 * Returns the whole list, page by page, or as much of it as `limit` says; after the first page it waits where the services say
 * that this is too fast (DECISIONS.md "Could not commit, deadline, overload"). Throws what `fetchPage` throws.
 */
export async function collect<Item>(
  { limit = Number.POSITIVE_INFINITY, pageToken = '' }: PageOptions,
  fetchPage: (pageSize: number, pageToken: string) => Promise<Page<Item>>,
  wait: (ms: number) => Promise<unknown> = sleep,
): Promise<Page<Item>> {
  const items: Item[] = [];
  let next = pageToken;
  do {
    const pageSize = Math.min(LARGEST_PAGE, limit - items.length);
    const page = await fetchPage(pageSize, next).catch(async fault => {
      const { code, metadata } = ConnectError.from(fault);
      if (items.length === 0 || code !== Code.ResourceExhausted) throw fault;
      await wait(1_000 * Number(metadata.get('retry-after') ?? 1));
      return fetchPage(pageSize, next);
    });
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
