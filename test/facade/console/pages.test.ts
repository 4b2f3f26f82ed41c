import { expect, test } from 'vitest';
import { type Asked, readAll, readSome } from '../../../facade/console/page/rpc/pages.ts';

/** A list of numbers behind pages of at most 200, and what was asked of it. */
function listOf(count: number) {
  const asked: Asked[] = [];
  const read = async (page: Asked) => {
    asked.push(page);
    const from = Number(page.pageToken);
    const to = Math.min(count, from + page.pageSize);
    return [Array.from({ length: to - from }, (_, at) => from + at), to < count ? String(to) : ''] as const;
  };
  return { asked, read: async (page: Asked) => (await read(page)) as [number[], string] };
}

test.each([
  { count: 0, wanted: 50, got: 0, rest: 'none', calls: 1 },
  { count: 50, wanted: 50, got: 50, rest: 'none', calls: 1 },
  { count: 51, wanted: 50, got: 50, rest: 'more', calls: 1 },
  { count: 1_500, wanted: 400, got: 400, rest: 'more', calls: 2 },
  { count: 1_500, wanted: 450, got: 450, rest: 'more', calls: 3 },
])('of $count, $wanted wanted: $got, and $rest', async ({ count, wanted, got, rest, calls }) => {
  const { asked, read } = listOf(count);
  const some = await readSome(wanted, read);
  expect([some.things.length, some.rest, asked.length]).toEqual([got, rest, calls]);
  expect(asked.every(({ pageSize }) => pageSize >= 1 && pageSize <= 200)).toBe(true);
});

test('reads a list to its end, however long it is', async () => {
  const { read } = listOf(2_345);
  const all = await readAll(read);
  expect(all.length).toBe(2_345);
  expect(all.at(-1)).toBe(2_344);
});
