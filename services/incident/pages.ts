import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { isId } from '../store/id.ts';

const PAGE = { most: 200, usual: 50 } as const;

/** The years that a timestamp may name: 1 to 9999. In seconds since 1970. */
const TIMES = { first: -62_135_596_800, last: 253_402_300_799 } as const;

/** How many a page holds: `usual` where nothing is asked, 200 at most. */
export function pageSize(asked: number, { field = 'page_size', usual = PAGE.usual as number } = {}): number {
  if (asked === 0) return usual;
  if (asked < 1 || asked > PAGE.most) throw invalid(field, String(asked), `0 to ${PAGE.most}`);
  return asked;
}

/** A page and the token of the next one. `found` is asked one longer than the page, to see whether there is a next one. */
export function pageOf<Row>(found: readonly Row[], size: number, place: (last: Row) => string) {
  const page = found.slice(0, size);
  const last = page.at(-1);
  const nextPageToken = found.length > size && last !== undefined ? tokenAt(place(last)) : '';
  return { page, nextPageToken };
}

/** The token of a page that begins after a place. */
export function tokenAt(place: string): string {
  return Buffer.from(place).toString('base64url');
}

/** The place after which a page begins, as `shape` reads it. Null: the first page. */
export function placeOf(token: string, shape: RegExp, field = 'page_token'): RegExpExecArray | null {
  if (token === '') return null;
  const place = shape.exec(Buffer.from(token, 'base64url').toString());
  if (place === null) throw invalid(field, token, `the next_${field} of the page before`);
  return place;
}

/** An identifier as a filter: an empty one filters nothing. */
export function idFilter<Field extends string>(
  field: string,
  column: Field,
  id: string,
): Partial<Record<Field, string>> {
  if (id === '') return {};
  if (!isId(id)) throw invalid(field, id, 'an id of 32 lower-case letters and digits');
  return { [column]: id } as Partial<Record<Field, string>>;
}

/** A closed word as a filter: an empty one filters nothing. */
export function wordFilter<Word extends string>(field: string, word: string, words: readonly Word[]): Word | null {
  if (word === '') return null;
  const known = words.find(one => one === word);
  if (known !== undefined) return known;
  throw invalid(field, word, `${words.map(one => `"${one}"`).join(', ')} or nothing`);
}

/** A time as a filter; null where it is absent. */
export function timeFilter(field: string, time: Timestamp | undefined): Date | null {
  if (time === undefined) return null;
  const seconds = Number(time.seconds);
  const fits = seconds >= TIMES.first && seconds <= TIMES.last && time.nanos >= 0 && time.nanos < 1e9;
  if (!fits) throw invalid(field, `${time.seconds} s`, 'a time of the years 1 to 9999');
  return new Date(seconds * 1000 + Math.floor(time.nanos / 1e6));
}

/** The one form of every complaint about a field: which, what was got, what it takes. */
export function invalid(field: string, got: string, wanted: string): ConnectError {
  return new ConnectError(`${field}: got "${got.slice(0, 64)}", it takes ${wanted}.`, Code.InvalidArgument);
}
