/** When to tell of what happens: the first at once, and as long as it goes on ever fewer. */
export interface Pace {
  /** Something happened. */
  note(): void;
  /** Tells whether something is still to be told. */
  waits(): boolean;
  /** In how many milliseconds it may be told; infinite if nothing is to be told. */
  dueInMs(): number;
  /** `due`: tell it now. */
  take(): 'due' | 'not_yet' | 'nothing';
}

/**
 * Rests between two tellings, `least` milliseconds at first, each rest twice as long as the one before, `most` at the most.
 * After a rest, and `most` more in which nothing happened, all begins anew. `now` counts milliseconds.
 */
export function createPace(
  { least, most }: { least: number; most: number },
  now: () => number = () => performance.now(),
): Pace {
  let noted: 'something' | 'nothing' = 'nothing';
  let restMs = 0;
  let restsUntil = Number.NEGATIVE_INFINITY;
  const leftMs = () => Math.max(0, restsUntil - now());
  return {
    note() {
      if (noted === 'nothing' && now() >= restsUntil + most) restMs = 0;
      noted = 'something';
    },
    waits: () => noted === 'something',
    dueInMs: () => (noted === 'nothing' ? Number.POSITIVE_INFINITY : leftMs()),
    take() {
      if (noted === 'nothing') return 'nothing';
      if (leftMs() > 0) return 'not_yet';
      noted = 'nothing';
      restMs = Math.min(most, Math.max(least, restMs * 2));
      restsUntil = now() + restMs;
      return 'due';
    },
  };
}
