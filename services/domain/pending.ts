import type { Changes, PendingTrigger, SourceState } from './incident.ts';
import type { ModeId } from './mode.ts';
import type { Environment } from './source.ts';

/** A trigger as the window sees it. `acceptedAt` in milliseconds since 1970. */
export interface WindowTrigger {
  id: string;
  mode: ModeId;
  environment: Environment;
  windowS: number;
  traceId: string;
  acceptedAt: number;
}

/** Starts the false-alarm window of a trigger. */
export function beginPending(trigger: WindowTrigger): PendingTrigger {
  return {
    id: trigger.id,
    dueAt: deadline(trigger),
    mode: trigger.mode,
    traceId: trigger.traceId,
    environment: trigger.environment,
    triggerCount: 1,
    lastTriggerAt: trigger.acceptedAt,
  };
}

/**
 * Folds a further trigger into a pending one (DECISIONS.md "Second trigger while one is pending"): the earliest
 * deadline and its mode win, so a window is shortened and never extended; live as soon as any of the triggers is.
 */
export function foldIntoPending(pending: PendingTrigger, trigger: WindowTrigger): PendingTrigger {
  const earlier = deadline(trigger) < pending.dueAt;
  return {
    id: pending.id,
    dueAt: earlier ? deadline(trigger) : pending.dueAt,
    mode: earlier ? trigger.mode : pending.mode,
    traceId: earlier ? trigger.traceId : pending.traceId,
    environment: pending.environment === 'live' ? 'live' : trigger.environment,
    triggerCount: pending.triggerCount + 1,
    lastTriggerAt: Math.max(pending.lastTriggerAt, trigger.acceptedAt),
  };
}

/**
 * Cancels the pending trigger: no incident opens and nobody is alerted. Returns its id, or null if none was pending.
 */
export function cancelPending(state: SourceState, changes: Changes): string | null {
  const pending = state.pending;
  if (pending === null) return null;
  state.pending = null;
  changes.windowsEnded.push({ pendingId: pending.id, incidentId: null, traceId: null });
  return pending.id;
}

function deadline(trigger: WindowTrigger): number {
  return trigger.acceptedAt + trigger.windowS * 1000;
}
