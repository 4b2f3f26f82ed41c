import type { DescMethod } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as Idempotency } from '@bufbuild/protobuf/wkt';

/** What is given up first when there is too much to do: reads, then actions, triggers last. */
export type CallClass = 'read' | 'action' | 'trigger';

/** The class of an RPC: what it changes is in the proto, and what fires is called Trigger. */
export function classOf(method: DescMethod): CallClass {
  if (isRead(method)) return 'read';
  return method.name.startsWith('Trigger') ? 'trigger' : 'action';
}

/** Whether an RPC changes nothing (idempotency_level NO_SIDE_EFFECTS in the proto). */
export function isRead(method: DescMethod): boolean {
  return method.idempotency === Idempotency.NO_SIDE_EFFECTS;
}
