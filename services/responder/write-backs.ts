/** How many texts go back to one number within so many milliseconds. */
const MOST = 5;
const WITHIN_MS = 10 * 60 * 1000;

/** How many numbers are remembered; the longest silent goes first. */
const NUMBERS = 10_000;

/** Bounds what is written back. */
export interface WriteBacks {
  /** Asks for one text to a number. What was written is acted on in any case. */
  may(number: string): 'write' | 'enough';
}

/**
 * Two machines that answer each other would go on for ever, and each text costs money: a number gets five in ten minutes.
 * Each process counts for itself.
 */
export function createWriteBacks(now: () => number = () => performance.now()): WriteBacks {
  const written = new Map<string, number[]>();
  return {
    may(number) {
      const at = now();
      const lately = (written.get(number) ?? []).filter(time => time > at - WITHIN_MS);
      written.delete(number);
      const verdict = lately.length < MOST ? 'write' : 'enough';
      written.set(number, verdict === 'write' ? [...lately, at] : lately);
      if (written.size > NUMBERS) written.delete(written.keys().next().value!);
      return verdict;
    },
  };
}
