import { expect, test } from 'vitest';
import { createRateLimit } from '../../services/limits/times.ts';

test('each name has so many places, and one more as soon as its oldest is old enough; what was refused takes none', () => {
  const limit = createRateLimit({ most: 2, withinMs: 60_000 });
  expect(limit.take('anna', 0)).toEqual({ kind: 'taken' });
  expect(limit.take('anna', 10_000)).toEqual({ kind: 'taken' });
  expect(limit.take('anna', 20_500)).toEqual({ kind: 'too_many', retryAfterS: 40 });
  expect(limit.take('noah', 20_500)).toEqual({ kind: 'taken' });
  expect(limit.take('anna', 59_999)).toEqual({ kind: 'too_many', retryAfterS: 1 });
  expect(limit.take('anna', 60_000)).toEqual({ kind: 'taken' });
  expect(limit.take('anna', 60_000)).toEqual({ kind: 'too_many', retryAfterS: 10 });
});

test('ten thousand names at least are remembered: who has not asked for longest is forgotten first', () => {
  const limit = createRateLimit({ most: 1, withinMs: 60_000 });
  const others = (named: string) => {
    for (let n = 0; n < 9_998; n++) limit.take(`${named} ${n}`, 2);
  };
  limit.take('first', 0);
  limit.take('second', 0);
  others('strangers');
  expect(limit.take('first', 3).kind).toBe('too_many');
  others('further strangers');
  others('still others');
  expect(limit.take('second', 3).kind).toBe('taken');
  limit.take('third', 3);
  others('strangers');
  expect(limit.take('third', 3).kind).toBe('too_many');
});
