import { ARRIVED, ends, type Standing, UNDER_WAY } from '../phone-standing.ts';
import { codeFault } from './faults.ts';

/** The statuses of a text. A fault's own words are used if the carrier gives no code. */
export const TEXT_STATUSES: ReadonlyMap<string, Standing> = new Map([
  ['queued', UNDER_WAY],
  ['sending', UNDER_WAY],
  // Handed to the phone's carrier, which may report nothing further.
  ['sent', UNDER_WAY],
  ['delivery_unconfirmed', UNDER_WAY],
  ['delivered', ARRIVED],
  ['sending_failed', ends('permanent', 'the carrier could not send it')],
  ['delivery_failed', ends('permanent', 'not delivered')],
  ['expired', ends('permanent', 'not delivered while it was of use')],
]);

/** Returns the state by a table of statuses, with the carrier's error code (0 for none); null for an unknown status. */
export function standingOf(statuses: ReadonlyMap<string, Standing>, status: string, code: number): Standing | null {
  const standing = statuses.get(status) ?? null;
  return standing?.kind === 'fault' && code !== 0 ? { kind: 'fault', fault: codeFault(code) } : standing;
}
