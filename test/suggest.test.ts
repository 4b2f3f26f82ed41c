import fc from 'fast-check';
import { expect, test } from 'vitest';
import { suggestion } from '../services/process/suggest.ts';
import { leastCpu } from './support/cpu.ts';
import { expectInTime } from './support/wait.ts';

/** The distance as it is defined: letters inserted, deleted, replaced or swapped with a neighbour, looked up cell by cell. */
function plainDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i + j));
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? rows[i - 2]![j - 2]! + 1 : replaced;
      rows[i]![j] = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, replaced, swapped);
    }
  }
  return rows[a.length]![b.length]!;
}

/** The same answer, found by comparing everything with everything. */
function plainSuggestion(written: string, known: readonly string[]): string {
  const most = Math.min(3, Math.max(1, Math.floor(written.length / 3)));
  const others = known.filter(one => one !== written);
  const near = others.map(one => ({ one, differ: plainDistance(written, one) })).filter(({ differ }) => differ <= most);
  return near.toSorted((a, b) => a.differ - b.differ)[0]?.one ?? '';
}

test('what is suggested is the nearest word, whatever is left out to find it', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 8 }), (written, known) => {
      expect(suggestion(written, known)).toBe(plainSuggestion(written, known));
    }),
    { numRuns: 5_000 },
  );
});

test('long words that are nearly alike take a small part of what comparing all their letters takes', async () => {
  const written = `${'ab'.repeat(31)}a`;
  const known = Array.from({ length: 1_000 }, (_, nth) => `${'ba'.repeat(29)}${nth.toString(36).padStart(5, '0')}`);
  const plain = await leastCpu(() => known.map(one => plainDistance(written, one)));
  const banded = await leastCpu(() => suggestion(written, known));
  expectInTime(banded, plain / 12);
});

test('of very many words only the first thousands are looked at', () => {
  let looked = 0;
  function* known() {
    for (; looked < 50_000; looked += 1) yield `word${looked}`;
  }
  expect(suggestion('something', known())).toBe('');
  expect(looked).toBeLessThanOrEqual(5_001);
});
