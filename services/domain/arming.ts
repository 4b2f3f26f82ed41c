import { effectiveMode, type ModeId } from './mode.ts';

/** What an alarm is armed in; null if disarmed. Panic buttons have no arming state and stay null. */
export type ArmedMode = ModeId | null;

/** What `state` answers for an alarm (SPEC.md 4). The list is closed: a pending trigger does not show. */
export type ShownState = ModeId | 'disarmed' | 'triggered';

/**
 * The arming table of SPEC.md 3:
 *
 * | from                                     | operation | to              |
 * |------------------------------------------|-----------|-----------------|
 * | any                                      | arm/mode  | that mode       |
 * | armed in a mode that exists              | arm       | same mode       |
 * | disarmed, or armed mode deleted since    | arm       | away            |
 * | any                                      | disarm    | disarmed        |
 */
export function armedAfter(
  armedMode: ArmedMode,
  operation: { verb: 'arm'; named: ModeId | null } | { verb: 'disarm' },
  modes: readonly ModeId[],
): ArmedMode {
  return operation.verb === 'disarm' ? null : effectiveMode(operation.named, armedMode, modes);
}

/**
 * Returns the state shown for an alarm: `triggered` while an incident is open, else its armed mode or `disarmed`
 * (SPEC.md 4).
 */
export function shownState(armedMode: ArmedMode, incidentOpen: boolean): ShownState {
  if (incidentOpen) return 'triggered';
  return armedMode ?? 'disarmed';
}
