import type { CallClass } from '../services/process/call-class.ts';
import { callsInFlight, callsShed } from './metrics.ts';

/** For each class, how many calls of all classes may be in flight before one more of it is turned away. */
export type Limits = Readonly<Record<CallClass, number>>;

/** At 15,000 calls a second, which a group commit takes, the last of 4,096 triggers waits a quarter of a second. */
const LIMITS: Limits = { read: 512, action: 2_048, trigger: 4_096 };

export interface Overload {
  /** Asks for a place. `release` must follow when it was `taken`. */
  take(callClass: CallClass): 'taken' | 'shed';
  release(): void;
}

/**
 * Bounds what is in flight at once, so that what is taken is answered in time (DECISIONS.md "Could not commit, deadline,
 * overload").
 */
export function createOverload(limits: Limits = LIMITS): Overload {
  let inFlight = 0;
  return {
    take(callClass) {
      if (inFlight >= limits[callClass]) {
        callsShed.inc({ class: callClass });
        return 'shed';
      }
      inFlight++;
      callsInFlight.inc();
      return 'taken';
    },
    release() {
      inFlight--;
      callsInFlight.dec();
    },
  };
}
