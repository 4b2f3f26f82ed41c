import { ARRIVED, ends, type Standing, UNDER_WAY } from '../phone-standing.ts';

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
