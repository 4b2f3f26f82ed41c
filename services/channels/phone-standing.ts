import type { Fault } from './phone-faults.ts';

/** The state of a text or call at a telephone provider. `under_way`: nothing to act on yet. */
export type Standing = { kind: 'under_way' } | { kind: 'arrived' } | { kind: 'fault'; fault: Fault };

export const UNDER_WAY: Standing = { kind: 'under_way' };
export const ARRIVED: Standing = { kind: 'arrived' };

/**
 * The statuses of a call, which TwiML and TeXML share. An answered call has arrived, even if a machine answered. No
 * answer is permanent: the phone has rung for as long as is useful, so the next channel is tried at once.
 */
export const CALL_STATUSES: ReadonlyMap<string, Standing> = new Map([
  ['queued', UNDER_WAY],
  ['initiated', UNDER_WAY],
  ['ringing', UNDER_WAY],
  ['in-progress', UNDER_WAY],
  ['answered', UNDER_WAY],
  ['completed', ARRIVED],
  ['busy', ends('temporary', 'busy')],
  ['no-answer', ends('permanent', 'no answer')],
  ['failed', ends('permanent', 'the call failed')],
  ['canceled', ends('permanent', 'cancelled at the carrier')],
]);

/** A message that came to its end without arriving. */
export function ends(lasts: Fault['lasts'], reason: string): Standing {
  return { kind: 'fault', fault: { lasts, reason, who: 'contact' } };
}

/**
 * Returns the state by a table of statuses, with the fault of the carrier's error code where it gives one (0 for none); null for an
 * unknown status.
 */
export function standingOf(
  statuses: ReadonlyMap<string, Standing>,
  status: string,
  code: number,
  codeFault: (code: number) => Fault,
): Standing | null {
  const standing = statuses.get(status) ?? null;
  return standing?.kind === 'fault' && code !== 0 ? { kind: 'fault', fault: codeFault(code) } : standing;
}
