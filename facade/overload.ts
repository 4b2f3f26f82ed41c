import type { DescMethod } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as Idempotency } from '@bufbuild/protobuf/wkt';
import { callsInFlight, callsShed } from './metrics.ts';

/** What is given up first when there is too much to do: reads, then actions, triggers last. */
export type CallClass = 'read' | 'action' | 'trigger';

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

/** The class of an RPC: what it changes is in the proto, and what fires is called Trigger. */
export function classOf(method: DescMethod): CallClass {
  if (isRead(method)) return 'read';
  return method.name.startsWith('Trigger') ? 'trigger' : 'action';
}

/** Whether an RPC changes nothing (idempotency_level NO_SIDE_EFFECTS in the proto). */
export function isRead(method: DescMethod): boolean {
  return method.idempotency === Idempotency.NO_SIDE_EFFECTS;
}
