/*
 * A test that was switched on has an end (DECISIONS.md "A test ends"): nobody forgets a silence. What is new is in test
 * until its owner lets it go live, and so has none.
 */

/** How long a test lasts, in milliseconds, if nothing else is chosen, and at most. */
export const TEST_MS = { usual: 24 * 3_600_000, most: 7 * 24 * 3_600_000 } as const;

/** How long before its end owners are told, in milliseconds. */
export const TEST_NOTICE_MS = 10 * 60_000;

/** How much later than at most an end may be, in milliseconds: whoever chooses it has a clock of their own. */
const CLOCKS_MS = 5 * 60_000;

/** A switch as it is set. `until`: when it ends, in milliseconds since 1970; null: when its owner lets it go live. */
export interface TestSwitch {
  test: boolean;
  until: number | null;
}

/**
 * Returns when a test ends that is set like this; null: it has no end, or there is none. `before` null: it is new.
 * `passed` and `too_far`: such an end cannot be chosen.
 */
export function testEnd(
  before: TestSwitch | null,
  after: TestSwitch,
  now: number,
): number | null | 'passed' | 'too_far' {
  if (!after.test) return null;
  const wasInTest = before?.test === true;
  if (after.until === null) {
    if (before === null || (wasInTest && before.until === null)) return null;
    return wasInTest ? before.until : now + TEST_MS.usual;
  }
  if (wasInTest && after.until === before.until) return after.until;
  if (after.until <= now) return 'passed';
  return after.until > now + TEST_MS.most + CLOCKS_MS ? 'too_far' : after.until;
}
