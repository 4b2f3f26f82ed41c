import { Code, ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { collect } from '../../facade/cli/pages.ts';

/** A list of three pages, of which the second is refused so often. */
function list(refused: number) {
  let left = refused;
  const waits: number[] = [];
  const read = () =>
    collect(
      {},
      async (_size, token) => {
        if (token === 'second' && left-- > 0)
          throw new ConnectError('Too many calls.', Code.ResourceExhausted, { 'retry-after': '2' });
        const next = { '': 'second', second: 'third', third: '' }[token]!;
        return { items: [token], nextPageToken: next };
      },
      async ms => waits.push(ms),
    );
  return { read, waits };
}

test('a list of many pages waits for as long as it is told to, and goes on where it was', async () => {
  const { read, waits } = list(1);
  expect(await read()).toEqual({ items: ['', 'second', 'third'], nextPageToken: '' });
  expect(waits).toEqual([2_000]);
});

test('it does not wait for ever', async () => {
  await expect(list(2).read()).rejects.toThrow('Too many calls.');
});
