import type { ChannelKind } from './delivery.ts';
import { localDay } from './local-time.ts';
import { canBeProven } from './proof.ts';
import { channelsOf, type Means, type Reachable, wouldReach } from './reach.ts';

/** Whether an account's people are drilled by themselves. */
export const DRILLS = ['off', 'monthly'] as const;

export type Drills = (typeof DRILLS)[number];

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** From one drill of a person to the next, in milliseconds. */
export const DRILL_EVERY_MS = 30 * DAY_MS;

/** How long a drill waits for its answer, and how long after an incident there is none, in milliseconds. */
export const DRILL_ANSWER_MS = DAY_MS;
export const QUIET_AFTER_INCIDENT_MS = DAY_MS;

/** How long the message of a drill is tried, in seconds: nobody's phone rings for practice at night. */
export const DRILL_TRIED_S = 15 * 60;

/** When a drill may begin, as a person's clock shows it: so early that its last try is over by 18:00. */
const BEGINS = { from: '10:00', before: '17:45' } as const;

/** The last drill of a person. Times in milliseconds since 1970. */
export interface LastDrill {
  incidentId: string;
  at: number;
  /** The channel that it went over; null if that is no longer known. */
  channel: ChannelKind | null;
  /** Counted from 0: the second is the one that follows a first that was not answered. */
  round: number;
  state: 'open' | 'closed';
  /** `answered`: by this drill, or over any of their channels since. */
  answer: 'answered' | 'none';
}

/** What is known of a person when their next drill is planned. Times in milliseconds since 1970. */
export interface DrilledPerson {
  timeZone: string;
  /** The channels over which a drill would reach them and can be answered, in their own order. */
  channels: readonly ChannelKind[];
  last: LastDrill | null;
  /** Whether a live incident or a window of the account is under way, and when the last one ended; null: never. */
  incident: 'open' | 'none';
  lastIncidentAt: number | null;
}

/** What to do about a person's drills now. `missed`: two in a row were not answered. */
export type DrillDue =
  | { kind: 'due'; channel: ChannelKind; round: 0 | 1 }
  | { kind: 'missed'; incidentId: string }
  | { kind: 'none' };

const NONE: DrillDue = { kind: 'none' };

/**
 * Tells whether a person is due for a drill (DECISIONS.md "Drill"): every 30 days, over their channels in turn, once more
 * over another one if it was not answered within 24 hours. Only from 10:00 to 18:00 on weekdays in their zone, never
 * while an incident is open and for 24 hours after it. `now` in milliseconds since 1970; `clock` is the same as clocks
 * show it, if that differs.
 */
export function drillDue(person: DrilledPerson, now: number, clock: number = now): DrillDue {
  const next = nextOf(person.last, now);
  if (next === 'none') return NONE;
  if (next === 'missed') return { kind: 'missed', incidentId: person.last!.incidentId };
  const channel = channelAfter(person.last?.channel ?? null, person.channels);
  if (channel === null || person.incident === 'open') return NONE;
  const { lastIncidentAt } = person;
  if (lastIncidentAt !== null && now < lastIncidentAt + QUIET_AFTER_INCIDENT_MS) return NONE;
  return mayBegin(clock, person.timeZone) === 'yes' ? { kind: 'due', channel, round: next === 'again' ? 1 : 0 } : NONE;
}

/** Returns what follows the last drill, whatever the hour. */
function nextOf(last: LastDrill | null, now: number): 'first' | 'again' | 'missed' | 'none' {
  if (last === null || now >= last.at + DRILL_EVERY_MS) return 'first';
  if (last.answer === 'answered' || last.state === 'open' || now < last.at + DRILL_ANSWER_MS) return 'none';
  return last.round === 0 ? 'again' : 'missed';
}

/** Returns the channel whose turn it is after the last one; null if there is none. */
function channelAfter(last: ChannelKind | null, channels: readonly ChannelKind[]): ChannelKind | null {
  const at = last === null ? -1 : channels.indexOf(last);
  return channels[(at + 1) % Math.max(1, channels.length)] ?? null;
}

/** Tells whether a drill may begin when a person's clock shows this moment. */
function mayBegin(clock: number, timeZone: string): 'yes' | 'no' {
  const local = localDay(new Date(clock).toISOString(), timeZone);
  if (local === null) return 'no';
  const weekday = new Date(`${local.day}T00:00:00Z`).getUTCDay();
  if (weekday === 0 || weekday === 6) return 'no';
  return local.time >= BEGINS.from && local.time < BEGINS.before ? 'yes' : 'no';
}

/** Returns the channels over which a person can be drilled, in their own order. `at` in milliseconds since 1970. */
export function drillChannels(person: Reachable, means: Means, at: number): ChannelKind[] {
  return channelsOf(person).filter(
    channel => canBeProven(channel) && wouldReach(person, channel, means, at) === 'goes',
  );
}
