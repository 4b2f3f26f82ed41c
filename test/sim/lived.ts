import type { ChannelKind, DeliveryKind } from '../../services/domain/delivery.ts';
import type { Call, Mode } from '../support/door-model.ts';
import type { ClockOf, SourceName } from './world.ts';

/*
 * What is written down of a life while it is lived, by those who stand outside: callers, people, owners, carriers, and
 * whoever does the harm. Times are milliseconds since the life began, as nobody can set them.
 */

/** The evening on which every life begins, in milliseconds since 1970. */
export const BEGIN = Date.UTC(2026, 0, 15, 20, 0, 0);

/** How a trace is named in what is written down. */
export function shortTrace(trace: string): string {
  return trace.slice(-3);
}

/** A moment: `step` counts what happened, so that it tells apart what happened within a millisecond. */
export interface Moment {
  step: number;
  at: number;
}

/** A call of a machine. */
export interface Called {
  house: number;
  source: SourceName;
  call: Call;
  trace: string;
  /** The process that was asked. */
  at: string;
  began: Moment;
  /** Null: no answer came. */
  ended: Moment | null;
  /** `unknown`: 503, or no answer. */
  answer: 'accepted' | 'refused' | 'unknown';
  verdict: string;
  /** Whether its key was revoked before it began. */
  key: 'good' | 'revoked';
  /** What its source was set to while it was under way. */
  environments: ('live' | 'test')[];
  /** Whether its source was disabled: all the time that it was under way, some of it, or never. */
  disabled: 'always' | 'sometimes' | 'never';
}

/** What people and owners do that waits in the queue. */
export type ActVerb = 'acknowledge' | 'close' | 'disable' | 'go_live';

/** One such act. */
export interface Acted {
  house: number;
  source: SourceName;
  verb: ActVerb;
  trace: string;
  /** The incident that it names. */
  incident: string | null;
  stored: 'yes' | 'no' | 'unknown';
}

/** How a carrier takes a message. `lost`: it has it, and its answer never comes. */
export type Taken = 'sent' | 'delivered' | 'lost' | 'temporary' | 'permanent';

/** A message of an incident as a carrier got it. */
export interface Sent {
  delivery: string;
  attempt: number;
  channel: ChannelKind;
  incident: string;
  address: string;
  at: number;
  kind: DeliveryKind;
  /** The process that sent it, and the step at which it leased it. */
  by: string;
  leased: number | null;
  taken: Taken;
}

/** Harm, and what it left for others to make good. */
export interface Harm {
  what: string;
  at: number;
  /** When all is as it was again, leases included. */
  until: number;
  /** The messages in the hands of whom it hit. */
  inHands: readonly string[];
}

/** What an account's owner had set before the life began. */
export interface Settings {
  gate: 'on' | 'off';
  clearOnDisarm: 'on' | 'off';
  /** In seconds. */
  windows: Record<Mode, number>;
  missing: null;
}

/** All of it. */
export interface Lived {
  seed: number;
  clock: ClockOf;
  limits: 'own' | 'small';
  settings: Settings[];
  calls: Called[];
  acts: Acted[];
  sends: Sent[];
  /** Reports of carriers that came later. */
  reports: { delivery: string; attempt: number; what: 'arrived' | 'fault' }[];
  harm: Harm[];
  /** The step after which everybody sees that a call or an act was applied, by trace. */
  committed: Map<string, number>;
  /** Faults in the log that no harm explains, and lives that never end. */
  surprises: string[];
  /** What happened, line by line, for whoever reads. */
  lines: string[];
  counts: Record<string, number>;
}
