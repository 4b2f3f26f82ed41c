import { invalidField, isTime } from './fields.ts';
import { say } from './reader.ts';

/** The most entries a page holds, and the default. */
export const PAGE_SIZE = { most: 200, usual: 50 } as const;

/** The place of an entry that is numbered in order of creation. */
const NUMBER = /^[0-9]{1,18}$/;

/** Returns how many entries a page holds. Throws INVALID_ARGUMENT. */
export function pageSize(asked: number, { field = 'pageSize', usual = PAGE_SIZE.usual as number } = {}): number {
  if (asked < 0 || asked > PAGE_SIZE.most) throw invalidField(field, say().accepts.range(0, PAGE_SIZE.most), asked);
  return asked === 0 ? usual : asked;
}

/** Reads the page request of a list of numbered entries: `after` is a number, "0" for the first page. Throws INVALID_ARGUMENT. */
export function pageAsked(request: { pageSize: number; pageToken: string }): { after: string; size: number } {
  return { after: placeOf(request.pageToken, NUMBER)?.[0] ?? '0', size: pageSize(request.pageSize) };
}

/** Cuts a page from the entries found, which are one more than the page if there is a next one, and returns that one's token. */
export function pageOf<Row>(found: readonly Row[], size: number, place: (last: Row) => string) {
  const page = found.slice(0, size);
  const last = page.at(-1);
  const nextPageToken = found.length > size && last !== undefined ? tokenAt(place(last)) : '';
  return { page, nextPageToken };
}

/** Returns the token of a page that begins after a place. */
export function tokenAt(place: string): string {
  return Buffer.from(place).toString('base64url');
}

/**
 * Reads the place after which a page begins, by `shape`; null for the first page. A time in it, in milliseconds since 1970, is the
 * group `ms`. Throws INVALID_ARGUMENT.
 */
export function placeOf(token: string, shape: RegExp, field = 'pageToken'): RegExpExecArray | null {
  if (token === '') return null;
  const place = shape.exec(Buffer.from(token, 'base64url').toString());
  if (place === null || !isTime(Number(place.groups?.ms ?? 0) / 1_000))
    throw invalidField(field, say().accepts.tokenOfPageBefore(nextOf(field)), token);
  return place;
}

/** Names the field of an answer that a page token comes from: `nextPageToken`. */
export function nextOf(field: string): string {
  return `next${field.charAt(0).toUpperCase()}${field.slice(1)}`;
}
