import { codeFault, type Fault } from './faults.ts';

/** The state of a text or call at the carrier. `under_way`: nothing to act on yet. */
export type Standing = { kind: 'under_way' } | { kind: 'arrived' } | { kind: 'fault'; fault: Fault };

const UNDER_WAY: Standing = { kind: 'under_way' };
const ARRIVED: Standing = { kind: 'arrived' };

/** The statuses of a Message resource. A fault's own words are used if the carrier gives no code. */
export const MESSAGE_STATUSES: ReadonlyMap<string, Standing> = new Map([
  ['accepted', UNDER_WAY],
  ['scheduled', UNDER_WAY],
  ['queued', UNDER_WAY],
  ['sending', UNDER_WAY],
  // Handed to the phone's carrier, which may report nothing further.
  ['sent', UNDER_WAY],
  ['receiving', UNDER_WAY],
  ['received', UNDER_WAY],
  ['delivered', ARRIVED],
  ['read', ARRIVED],
  ['undelivered', ends('permanent', 'not delivered')],
  ['failed', ends('permanent', 'the carrier could not send it')],
  ['canceled', ends('permanent', 'cancelled at the carrier')],
]);

/**
 * The statuses of a Call resource. An answered call has arrived, even if a machine answered. No answer is permanent:
 * the phone has rung for as long as is useful, so the next channel is tried at once.
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

/**
 * Returns the state by one of the tables above, with the carrier's error code (0 for none); null for an unknown status.
 */
export function standingOf(statuses: ReadonlyMap<string, Standing>, status: string, code: number): Standing | null {
  const standing = statuses.get(status) ?? null;
  return standing?.kind === 'fault' && code !== 0 ? { kind: 'fault', fault: codeFault(code) } : standing;
}

function ends(lasts: Fault['lasts'], reason: string): Standing {
  return { kind: 'fault', fault: { lasts, reason, who: 'contact' } };
}
