/*
 * Whether a call would alert somebody now, as the watchman sees it (engine/watch/watchman.ts). Pure: what was seen goes in,
 * what is at fault comes out.
 */

/** What can be at fault, in the order in which it is told: what keeps everybody from being alerted comes first. */
export const WATCH_FAULTS = [
  'database',
  'beat',
  'dry_life',
  'unapplied',
  'overdue',
  'carriers',
  'disk',
  'clock_lost',
  'clock_stepped',
  'bus',
  'own_way',
  'senders',
] as const;

export type WatchFault = (typeof WATCH_FAULTS)[number];

/** What a try led to: how long it took, or that it failed. */
export type WatchTry = { became: 'done'; ms: number } | { became: 'failed' };

/** What one look saw. */
export interface Seen {
  /** An empty group through accepting and applying. */
  beat: WatchTry;
  /** An alarm's whole life, rolled back. */
  dryLife: WatchTry;
  /** How long the oldest accepted call waits to be applied, and how late the oldest due message is; null: not readable. */
  unappliedS: number | null;
  overdueS: number | null;
  /** Of the carriers that can be asked, whether each answers; empty: none can. */
  carriers: readonly ('answers' | 'fails')[];
  /** Of the database; `not_known` counts as roomy. */
  disk: 'roomy' | 'low' | 'not_known';
  clock: 'kept' | 'lost';
  /** How long ago the database's clock was set, in seconds; null: never. */
  clockSteppedS: number | null;
  /** `not_used`: nothing else has to hear of changes. */
  bus: 'connected' | 'disconnected' | 'not_used';
  /** Whether the facade of this process answers at its own door; `not_here`: it has none. */
  ownWay: 'answers' | 'fails' | 'not_here';
  /** Whether many senders of several accounts fell silent at once lately (domain/supervision.ts). */
  senders: 'heard' | 'silent';
}

/** From when a waiting call and a due message are too late, in seconds. */
const LATE_S = { unapplied: 10, overdue: 30 } as const;

/** For how long a step of the clock counts, in seconds: three looks. */
const STEP_COUNTS_S = 60;

/** Returns what is at fault; none: a call would be accepted, applied and sent. */
export function watchFaults(seen: Seen): WatchFault[] {
  const { carriers, clockSteppedS } = seen;
  const is: Record<WatchFault, boolean> = {
    database: seen.unappliedS === null || seen.overdueS === null,
    beat: seen.beat.became === 'failed',
    dry_life: seen.dryLife.became === 'failed',
    unapplied: (seen.unappliedS ?? 0) >= LATE_S.unapplied,
    overdue: (seen.overdueS ?? 0) >= LATE_S.overdue,
    carriers: carriers.length > 0 && carriers.every(one => one === 'fails'),
    disk: seen.disk === 'low',
    clock_lost: seen.clock === 'lost',
    clock_stepped: clockSteppedS !== null && clockSteppedS < STEP_COUNTS_S,
    bus: seen.bus === 'disconnected',
    own_way: seen.ownWay === 'fails',
    senders: seen.senders === 'silent',
  };
  return WATCH_FAULTS.filter(fault => is[fault]);
}
