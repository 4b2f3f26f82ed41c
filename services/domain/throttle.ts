import type { DeliveryKind } from './alert.ts';
import type { ChannelKind } from './delivery.ts';

/**
 * How many messages a contact gets over one channel within how many seconds before repeats wait. For text and call what a
 * person can bear; for the others what keeps a stuck sensor from filling a mailbox.
 */
export const THROTTLE: Record<ChannelKind, { most: number; withinS: number }> = {
  text: { most: 5, withinS: 900 },
  call: { most: 3, withinS: 900 },
  email: { most: 10, withinS: 900 },
  push: { most: 10, withinS: 900 },
  webhook: { most: 60, withinS: 900 },
};

/** What is known about a message when it is asked whether it waits. Times in milliseconds since 1970. */
export interface ThrottleFacts {
  kind: DeliveryKind;
  channel: ChannelKind;
  /** Whether the contact already got a message of this incident over this channel. */
  place: 'first_of_incident' | 'repeat';
  /** When the `most`-th newest message within `withinS` went out to this contact over this channel; null: there were fewer. */
  nthRecentAt: number | null;
  now: number;
}

/**
 * Whether a message waits, and for how many seconds. The first message of an incident never does, nor does the news that
 * somebody has it: only repeats can wait, and they go out as soon as the window has room.
 */
export function throttle({ kind, channel, place, nthRecentAt, now }: ThrottleFacts): 'goes' | { waitsS: number } {
  if (kind === 'taken' || place === 'first_of_incident' || nthRecentAt === null) return 'goes';
  const roomAt = nthRecentAt + THROTTLE[channel].withinS * 1000;
  return roomAt <= now ? 'goes' : { waitsS: Math.max(1, Math.ceil((roomAt - now) / 1000)) };
}
