import type { CallClass } from '../services/process/call-class.ts';
import { callsInFlight, callsShed } from './metrics.ts';

/** For each class, how many calls of all classes may be in flight before another one of it is shed. */
export type OverloadLimits = Readonly<Record<CallClass, number>>;

/** At 10,000 calls a second (services/docs/ENGINE.md "How fast"), the last of 4,096 triggers waits less than half a second. */
const LIMITS: OverloadLimits = { read: 512, action: 2_048, trigger: 4_096 };

export interface Overload {
  /** Asks for a slot. `release` must follow if it was `taken`. */
  take(callClass: CallClass): 'taken' | 'shed';
  release(): void;
}

/**
 * Limits the calls in flight, so that accepted ones are answered in time (DECISIONS.md "Could not commit, deadline,
 * overload").
 */
export function createOverload(limits: OverloadLimits = LIMITS): Overload {
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
