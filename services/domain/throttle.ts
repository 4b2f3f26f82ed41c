import type { DeliveryKind } from './alert.ts';
import type { ChannelKind } from './delivery.ts';

/**
 * How many messages a contact gets over one channel, and within how many seconds, before repeats wait. For text and
 * call, what a person can bear; for the others, what keeps a stuck sensor from filling a mailbox.
 */
export const THROTTLE: Record<ChannelKind, { most: number; withinS: number }> = {
  text: { most: 5, withinS: 900 },
  call: { most: 3, withinS: 900 },
  email: { most: 10, withinS: 900 },
  push: { most: 10, withinS: 900 },
  webhook: { most: 60, withinS: 900 },
};

/**
 * An alarm flaps from its fourth incident within ten minutes on: it is one story, and people need not be alerted each
 * time.
 */
export const FLAPPING = { from: 4, withinS: 600 } as const;

/** An incident still open and unacknowledged after so many seconds is real, not flapping. */
const STANDS_AFTER_S = 30;

/** What is known about a message when it is due. Times in milliseconds since 1970. */
export interface ThrottleFacts {
  kind: DeliveryKind;
  channel: ChannelKind;
  /** Whether the contact already got, or gets before this, a message of this incident over this channel. */
  place: 'first_of_incident' | 'repeat';
  /** Whether the incident is one of many that its alarm opens and clears. */
  alarm: 'calm' | 'flapping';
  openedAt: number;
  /**
   * When messages last went out to this contact over this channel: the `most` newest within `withinS`, newest first.
   */
  recentAt: readonly number[];
  /** How many others are being sent there right now. */
  underWay: number;
  now: number;
}

/**
 * Decides whether a message waits, and for how many seconds (DECISIONS.md "Throttle of repeats"). News of an
 * acknowledgement never waits, nor does the first message of an incident unless its alarm flaps, and then only until it
 * has lasted a while. A waiting message goes out as soon as the window has room.
 */
export function throttle(facts: ThrottleFacts): 'goes' | { waitsS: number } {
  const { kind, channel, place, alarm, openedAt, recentAt, underWay, now } = facts;
  if (kind === 'acknowledged' || (place === 'first_of_incident' && alarm === 'calm')) return 'goes';
  const { most, withinS } = THROTTLE[channel];
  const nthRecentAt = underWay >= most ? now : recentAt[most - 1 - underWay];
  if (nthRecentAt === undefined) return 'goes';
  const roomAt = nthRecentAt + withinS * 1000;
  const goesAt = place === 'repeat' ? roomAt : Math.min(roomAt, openedAt + STANDS_AFTER_S * 1000);
  return goesAt <= now ? 'goes' : { waitsS: Math.max(1, Math.ceil((goesAt - now) / 1000)) };
}
