import type { Changes, PendingTrigger, SourceState } from './incident.ts';
import type { ModeId } from './mode.ts';
import type { Environment } from './source.ts';
import { trippedAlso } from './tripped.ts';

/** A trigger as the window sees it. `acceptedAt` in milliseconds since 1970. */
export interface WindowTrigger {
  id: string;
  mode: ModeId;
  environment: Environment;
  windowS: number;
  traceId: string;
  /** The number of the key it came with; null for a person. */
  keySeq: number | null;
  /** As of an Action. */
  silentSince?: number | null;
  acceptedAt: number;
}

/** What waits in a window, or the incident that it opened, as far as it can be seen whether more came. */
type Seen = Pick<PendingTrigger, 'traceId' | 'trippedKeys'>;

/** Names what a person saw waiting: the trigger that its end goes by, and how many devices had tripped it. */
export function windowName(traceId: string, senders: number): string {
  return `${traceId}.${senders}`;
}

/**
 * Tells what waits or has opened from what was seen to wait, by its name (DECISIONS.md "Calling off"): it is that (`seen`),
 * another device tripped it since, or it goes by `another` trigger. A device that goes on as it did is what was seen: a camera
 * that triggers every second could never be called off.
 */
export function compareToSeen({ traceId, trippedKeys }: Seen, seen: string): 'seen' | 'more_came' | 'another' {
  const dot = seen.lastIndexOf('.');
  if (seen.slice(0, dot) !== traceId) return 'another';
  return trippedKeys.length > Number(seen.slice(dot + 1)) ? 'more_came' : 'seen';
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
    trippedKeys: trippedAlso([], trigger.keySeq),
    silentSince: trigger.silentSince ?? null,
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
    ...trippedIn(pending, trigger),
  };
}

/** A silence adds nothing to what a trigger tripped, and once something is tripped it is no mere silence any more. */
function trippedIn(
  { trippedKeys, silentSince }: PendingTrigger,
  trigger: WindowTrigger,
): Pick<PendingTrigger, 'trippedKeys' | 'silentSince'> {
  if ((trigger.silentSince ?? null) !== null) return { trippedKeys, silentSince };
  return { trippedKeys: trippedAlso(silentSince === null ? trippedKeys : [], trigger.keySeq), silentSince: null };
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
