import type { DeliveryKind } from './alert.ts';
import type { ChannelKind } from './delivery.ts';
import type { SourceKind } from './source.ts';

/**
 * How many messages a contact gets over one channel, and within how many seconds, before repeats wait. For text and
 * call, what a person can bear; for the others, what keeps a stuck sensor from filling a mailbox.
 */
export const THROTTLE: Record<ChannelKind, { most: number; withinS: number }> = {
  text: { most: 5, withinS: 900 },
  call: { most: 3, withinS: 900 },
  email: { most: 10, withinS: 900 },
  push: { most: 10, withinS: 900 },
  chat: { most: 10, withinS: 900 },
  webhook: { most: 60, withinS: 900 },
};

/**
 * An alarm flaps from its fourth incident within ten minutes on: it is one story, and people need not be alerted each
 * time.
 */
export const FLAPPING = { from: 4, withinS: 600 } as const;

/**
 * How many messages of panic buttons a contact gets over one channel, and within how many seconds, before further ones
 * are joined; of those one goes every so many seconds, and says how many more there were.
 */
export const PANIC = { most: 10, withinS: 600, thenEveryS: 60 } as const;

/** How much must be known of what went out lately over a channel, whatever is due there. */
export function recentOf(channel: ChannelKind): { most: number; withinS: number } {
  const { most, withinS } = THROTTLE[channel];
  return { most: Math.max(most, PANIC.most), withinS: Math.max(withinS, PANIC.withinS) };
}

/** An incident still open and unacknowledged after so many seconds is real, not flapping. */
const STANDS_AFTER_S = 30;

/** What is known about a message when it is due. Times in milliseconds since 1970. */
export interface ThrottleFacts {
  kind: DeliveryKind;
  channel: ChannelKind;
  sourceKind: SourceKind;
  /** Whether the contact already got, or gets before this, a message of this incident over this channel. */
  place: 'first_of_incident' | 'repeat';
  /** Whether the incident is one of many that its alarm opens and clears. */
  alarm: 'calm' | 'flapping';
  openedAt: number;
  /**
   * When messages last went out to this contact over this channel: the newest that `recentOf` asks for, newest first. For a
   * panic button only those of panic buttons, so that nothing else uses up what it may send.
   */
  recentAt: readonly number[];
  /** How many others are being sent there right now; for a panic button only those of panic buttons. */
  underWay: number;
  now: number;
}

/**
 * Decides whether a message waits, and for how many seconds (DECISIONS.md "Throttle of repeats"). News of an
 * acknowledgement never waits, nor does the first message of an incident unless its alarm flaps, and then only until it
 * has lasted a while. A waiting message goes out as soon as the window has room. Panic buttons have a rule of their own
 * (DECISIONS.md "Panic buttons").
 */
export function throttle(facts: ThrottleFacts): 'goes' | { waitsS: number } {
  const { kind, channel, sourceKind, place, alarm, openedAt, now } = facts;
  if (kind === 'acknowledged') return 'goes';
  if (sourceKind === 'panic_button') return throttlePanic(facts);
  if (place === 'first_of_incident' && alarm === 'calm') return 'goes';
  const roomAt = roomFrom(facts, THROTTLE[channel]);
  return goesFrom(place === 'repeat' ? roomAt : Math.min(roomAt, openedAt + STANDS_AFTER_S * 1000), now);
}

function throttlePanic(facts: ThrottleFacts): 'goes' | { waitsS: number } {
  const { recentAt, underWay, now } = facts;
  const lastAt = underWay > 0 ? now : (recentAt[0] ?? Number.NEGATIVE_INFINITY);
  return goesFrom(Math.min(roomFrom(facts, PANIC), lastAt + PANIC.thenEveryS * 1000), now);
}

/** When the window has room for one more, in milliseconds since 1970; far back if it has. */
function roomFrom(
  { recentAt, underWay, now }: ThrottleFacts,
  { most, withinS }: { most: number; withinS: number },
): number {
  const nthRecentAt = underWay >= most ? now : recentAt[most - 1 - underWay];
  return nthRecentAt === undefined ? Number.NEGATIVE_INFINITY : nthRecentAt + withinS * 1000;
}

function goesFrom(at: number, now: number): 'goes' | { waitsS: number } {
  return at <= now ? 'goes' : { waitsS: Math.max(1, Math.ceil((at - now) / 1000)) };
}
