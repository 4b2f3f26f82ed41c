import type { DescMethod } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as Idempotency } from '@bufbuild/protobuf/wkt';

/** The classes of calls, in the order in which they are shed under overload: reads, then actions, triggers last. */
export type CallClass = 'read' | 'action' | 'trigger';

/** Returns the class of an RPC. The proto says whether it changes anything; the name of what fires begins with Trigger. */
export function classOf(method: DescMethod): CallClass {
  if (isRead(method)) return 'read';
  return method.name.startsWith('Trigger') ? 'trigger' : 'action';
}

/** Tells whether an RPC changes nothing (idempotency_level NO_SIDE_EFFECTS in the proto). */
export function isRead(method: DescMethod): boolean {
  return method.idempotency === Idempotency.NO_SIDE_EFFECTS;
}
