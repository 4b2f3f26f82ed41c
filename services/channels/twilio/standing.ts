import { ARRIVED, ends, type Standing, UNDER_WAY } from '../phone-standing.ts';

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
