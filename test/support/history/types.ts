/*
 * What happened in a run, as plain data: what callers saw, what carriers took, what was broken, and the rows that stand at
 * the end. Whoever records it converts nothing but times: all are milliseconds of one clock, that of the callers.
 */

export interface History {
  calls: readonly Call[];
  logged: readonly Logged[];
  incidents: readonly Incident[];
  messages: readonly Message[];
  /** What is left to do at the end and should not be, in words. */
  undone: readonly string[];
  received: readonly Received[];
  faults: readonly Fault[];
  /** What owners have set, as far as it is known. */
  sources: readonly Source[];
  /**
   * The clock of the rows. `set`: somebody set it, so that their times tell nothing about those of callers and carriers.
   * `moved`: it is the test's own, and a while there is none here.
   */
  clock: 'steady' | 'set' | 'moved';
  /**
   * Whether a call may be stored twice, which opens no second incident: a facade repeats what it asked of services that died
   * before they answered.
   */
  repeats: 'never' | 'by the facade';
  /** The channels whose carriers wrote down all that they took. */
  heard: readonly string[];
}

/** A call, as its caller saw it. */
export interface Call {
  accountId: string;
  sourceId: string;
  /** The verb and what stands behind it: `arm/night`. */
  action: string;
  /** Null: no answer came. */
  traceId: string | null;
  began: number;
  /** When its answer came, or its caller gave up. */
  answered: number;
  /** `unknown`: no answer came, or one that promises nothing either way. */
  status: number | 'unknown';
  /** What the owner had set its source to while it was under way, where a test knows. */
  environments?: readonly Environment[];
  /** Ids of sources that stood in its answer. */
  named?: readonly string[];
}

export type Environment = 'live' | 'test';

/** A row of the log of calls. */
export interface Logged {
  /** Later ones have higher numbers. */
  id: bigint;
  accountId: string;
  sourceId: string;
  traceId: string;
  environment: Environment;
  at: number;
  /** Null: it was refused, or is not applied yet. */
  appliedAt: number | null;
  outcome: string | null;
  incidentId: string | null;
}

export interface Incident {
  id: string;
  accountId: string;
  sourceId: string;
  /** Null: a panic button's. */
  mode: string | null;
  environment: Environment;
  status: 'open' | 'closed';
  openedAt: number;
  appliedAt: number;
  acknowledgedAt: number | null;
  closedAt: number | null;
  triggerCount: number;
  /** Of the call that opened it. */
  traceId: string;
}

/** A message to one person over one channel, as it stands. */
export interface Message {
  id: string;
  accountId: string;
  incidentId: string;
  /** `alert`, else news to those who were alerted. */
  kind: string;
  round: number;
  step: number;
  contactId: string;
  channel: string;
  status: string;
  /** The channel in whose place it goes; null: the step names it. */
  insteadOf: string | null;
  /** When it was first due. */
  plannedAt: number;
  /** When it was planned before its step was brought forward. */
  movedFrom: number | null;
  /** When it goes next, or last went. */
  dueAt: number;
  firstAttemptAt: number | null;
}

/** A message that a carrier took. */
export interface Received {
  messageId: string;
  /** Whom it is for; empty: nobody looked. */
  address: string;
  at: number;
}

/** Something that was broken for a while, and what the product needed to be itself again. */
export interface Fault {
  what: string;
  from: number;
  until: number;
  /** The messages in the hands of a process when it struck; null: nobody looked. */
  inFlight: readonly string[] | null;
}

export interface Source {
  id: string;
  accountId: string;
  /** Absent: it changes. */
  environment?: Environment;
  /** The false-alarm window of each mode, in milliseconds; absent: it changes. */
  windowsMs?: Readonly<Record<string, number>>;
  /** When each step of a mode is due, in milliseconds after the opening; '' for a panic button. Absent: it changes. */
  stepsMs?: Readonly<Record<string, readonly number[]>>;
  /** All addresses of those who may be told. Absent: nobody looked. */
  addresses?: readonly string[];
}

/** What was found about one invariant. */
export interface Finding {
  invariant: string;
  /** How many things it could have been violated by. */
  looked: number;
  /** What violates it, in words. */
  violations: readonly string[];
}

/** Looks at one history for one invariant. */
export type Invariant = (history: History) => Omit<Finding, 'invariant'>;
