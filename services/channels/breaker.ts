import type { AttemptOutcome } from '../domain/delivery.ts';

/** How long a carrier comes last after it failed, in milliseconds: doubled each time that it fails again. */
const REST_MS = { first: 15_000, most: 120_000 };

/** After so many refusals in a row that may pass a carrier counts as failing. One that was away altogether does at once. */
const REFUSALS = 3;

/**
 * Whether a carrier comes first or last among those that stand by for each other, by what this process's messages met. It never
 * keeps a message from its only carrier.
 */
export interface Breaker {
  /** `open`: it comes last. Once it has rested, one message tries it again. */
  state(): 'closed' | 'open';
  /** Learns what became of a message. */
  learn(outcome: AttemptOutcome): void;
}

/** Creates a closed one. `now`: in milliseconds, by a clock that nobody sets. */
export function createBreaker(now: () => number = () => performance.now()): Breaker {
  let refusals = 0;
  let restMs = 0;
  let restsUntil = Number.NEGATIVE_INFINITY;
  let tried: 'again' | 'not_yet' = 'not_yet';

  function rest(): void {
    restMs = restMs === 0 ? REST_MS.first : Math.min(REST_MS.most, restMs * 2);
    restsUntil = now() + restMs;
    tried = 'not_yet';
  }

  return {
    state() {
      if (restMs === 0) return 'closed';
      if (now() < restsUntil) return 'open';
      // Whoever asks now tries it; the others learn from that.
      restsUntil = now() + REST_MS.first;
      tried = 'again';
      return 'closed';
    },
    learn(outcome) {
      if (outcome.kind === 'sent' || outcome.kind === 'delivered') {
        refusals = 0;
        restMs = 0;
        return;
      }
      if (outcome.kind !== 'temporary_fault' && outcome.kind !== 'permanent_fault') return;
      const isAway = outcome.carrier === 'away';
      // What is wrong with an address says nothing about the carrier.
      if (!isAway && (outcome.kind === 'permanent_fault' || outcome.about === 'address')) return;
      refusals++;
      // Of many under way at once the first one that fails says it for all.
      const isNew = restMs === 0 || tried === 'again';
      if (isNew && (isAway || refusals >= REFUSALS)) rest();
    },
  };
}
