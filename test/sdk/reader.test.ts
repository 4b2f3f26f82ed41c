import { expect, test } from 'vitest';
import { NetworkError, type TocsinError, UnavailableError } from '../../facade/sdk/client.ts';
import { Reader } from '../../facade/sdk/reader.ts';
import { HandClock } from './hand-clock.ts';

/* When a reader reads. What it reads comes when the test says so. */

function aReader() {
  const clock = new HandClock();
  const under: PromiseWithResolvers<string>[] = [];
  const told = { got: [] as string[], failed: [] as string[] };
  const reader = new Reader<string>({
    read() {
      under.push(Promise.withResolvers());
      return under.at(-1)!.promise;
    },
    everyMs: () => 60_000,
    got: value => told.got.push(value),
    failed: ({ kind }) => told.failed.push(kind),
    clock,
    random: () => 0,
  });
  return {
    clock,
    reader,
    told,
    reads: () => under.length,
    async answer(value: string) {
      under.at(-1)!.resolve(value);
      await new Promise(setImmediate);
    },
    async fail(error: TocsinError) {
      under.at(-1)!.reject(error);
      await new Promise(setImmediate);
    },
  };
}

const busy = (retryAfterMs: number | null) =>
  new UnavailableError('Busy.', { traceId: null, status: 503, retryAfterMs });

test('requests to read that come while it reads lead to one more read, because its answer may be older than they are', async () => {
  const { reader, reads, answer, told } = aReader();
  for (let wish = 0; wish < 5; wish++) reader.want();
  expect(reads()).toBe(1);
  await answer('old');
  expect(reads()).toBe(2);
  await answer('new');
  expect(reads()).toBe(2);
  expect(told.got).toEqual(['old', 'new']);
});

test('after a failure a request to read is followed at once, unless the service said when to come again', async () => {
  const { reader, reads, fail, clock } = aReader();
  reader.want();
  await fail(new NetworkError('Gone.'));
  reader.want();
  expect(reads()).toBe(2);
  await fail(busy(5_000));
  reader.want();
  clock.advance(4_999);
  expect(reads()).toBe(2);
  clock.advance(1);
  expect(reads()).toBe(3);
});

test('it tries again after five minutes at most, however long the service asked it to wait', async () => {
  const { reader, reads, fail, clock } = aReader();
  reader.want();
  await fail(busy(86_400_000));
  clock.advance(299_999);
  expect(reads()).toBe(1);
  clock.advance(1);
  expect(reads()).toBe(2);
});

test('stopped it reads no more and tells nothing, also of what was under way', async () => {
  const { reader, reads, answer, told, clock } = aReader();
  reader.want();
  reader.stop();
  await answer('late');
  reader.want();
  reader.intervalChanged();
  clock.advance(3_600_000);
  expect(reads()).toBe(1);
  expect(told).toEqual({ got: [], failed: [] });
});
