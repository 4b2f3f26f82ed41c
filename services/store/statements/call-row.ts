import type { CallVerb, Outcome } from '../../domain/action.ts';
import type { Incident } from '../../domain/incident.ts';
import type { ModeId } from '../../domain/mode.ts';
import type { Environment, PathRefusal, SourceKind, TurnedAway, Verdict } from '../../domain/source.ts';

/** A call with its result so far. Times are milliseconds since 1970. */
export interface CallRow {
  /** Its number: later calls have higher ones. */
  id: string;
  /** Waiting to be applied, applied, or refused with a known key. */
  state: 'waiting' | 'applied' | 'refused';
  outcome: Outcome | Verdict | PathRefusal | TurnedAway;
  /** How many calls it stands for: more than one only where they were turned away and counted. */
  times: number;
  traceId: string;
  at: number;
  /** When its caller was told that it is stored, if the database lost it and it was stored again at `at`; null otherwise. */
  confirmedAt: number | null;
  appliedAt: number | null;
  verb: CallVerb;
  mode: ModeId | null;
  environment: Environment | null;
  /** What it named; empty if that cannot be an identifier. */
  sourceId: string;
  /** Null unless the source belongs to the account. */
  sourceName: string | null;
  sourceKind: SourceKind | null;
  keyId: string | null;
  /** The number of the key, and its label now. */
  keySeq: number | null;
  keyLabel: string | null;
  actor: string | null;
  /** Of a trigger that we made ourselves, because nothing was heard of its key: since when; null: of all others. */
  silentSince: number | null;
  pendingId: string | null;
  /** The incident that it opened, folded into, acknowledged or closed. */
  incidentId: string | null;
  incidentEnvironment: Environment | null;
  incidentOutcome: Incident['outcome'] | null;
}
