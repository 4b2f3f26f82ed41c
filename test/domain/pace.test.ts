import { expect, test } from 'vitest';
import { createPace } from '../../services/incident/pace.ts';

/** When it is told, in milliseconds, where something happens every `everyMs` for `forMs`, and then once more at `again`. */
function tolds({ everyMs, forMs, again }: { everyMs: number; forMs: number; again?: number }): number[] {
  let now = 0;
  const pace = createPace({ least: 250, most: 1_000 }, () => now);
  const told: number[] = [];
  for (now = 0; now <= 10_000; now += 10) {
    if ((now <= forMs && now % everyMs === 0) || now === again) pace.note();
    const due = pace.dueInMs();
    if (pace.take() === 'due') told.push(now);
    expect(due === 0).toBe(told.at(-1) === now);
  }
  return told;
}

test('what happens once is told at once, and nothing else', () => {
  expect(tolds({ everyMs: 20_000, forMs: 0 })).toEqual([0]);
});

test('as long as it goes on, each rest is twice as long, up to the longest; the last of it is told', () => {
  expect(tolds({ everyMs: 10, forMs: 3_600 })).toEqual([0, 250, 750, 1_750, 2_750, 3_750]);
});

test.for([300, 700])('what goes on every %i ms is told ever less often, too', everyMs => {
  const told = tolds({ everyMs, forMs: 9_000 });
  const apart = told.slice(1).map((at, nth) => at - told[nth]!);
  expect(Math.min(...apart.slice(3))).toBeGreaterThanOrEqual(1_000);
});

test('after a rest in which nothing happened it begins anew', () => {
  expect(tolds({ everyMs: 10, forMs: 700, again: 5_000 })).toEqual([0, 250, 750, 5_000]);
});
