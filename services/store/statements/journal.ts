import type { ClientBase, Pool } from 'pg';
import type { Action } from '../../domain/action.ts';
import type { ArmedMode } from '../../domain/arming.ts';
import type { ModeId } from '../../domain/mode.ts';
import type { Environment, Verb } from '../../domain/source.ts';
import { ms } from '../columns.ts';
import { runAlone, type Statement } from '../statement.ts';

/** How many calls a group can hold: the room between two numbers of the journal. */
export const PLACES = 1_024;

/** A call as stored in the journal; `windowS` in seconds. `confirmedAt`: only of one that is stored again. */
export type JournaledCall = [
  traceId: string,
  keySeq: number,
  verb: Verb,
  mode: ModeId | null,
  windowS: number,
  parentTraceId?: string | null,
  confirmedAt?: number,
];

/** The calls of one source in a group, in accepted order, with what was fixed for all of them. */
export type JournaledUnit = [
  sourceSeq: number,
  environment: Environment,
  gate: 'only_when_armed' | 'always',
  calls: JournaledCall[],
];

/** A group of calls that were accepted together. `at` in milliseconds since 1970. */
export interface Group {
  id: number;
  at: number;
  calls: JournaledUnit[];
}

/** An action waiting to be applied. Its number, as text, is its id. */
export interface WaitingAction extends Action {
  sourceSeq: number;
  /** The trace id of the `traceparent` it came with; null if none. */
  parentTraceId: string | null;
  /** When its caller was told that it is stored, if the database lost it and it was stored again; null otherwise. */
  confirmedAt: number | null;
}

/** Returns the calls of a group as actions, in accepted order. */
export function actionsOf({ id, at, calls }: Group): WaitingAction[] {
  let place = 0;
  return calls.flatMap(([sourceSeq, environment, gate, ofSource]) =>
    ofSource.map(([traceId, keySeq, verb, mode, windowS, parentTraceId = null, confirmedAt = null]) => ({
      id: String(id * PLACES + place++),
      sourceSeq,
      verb,
      mode,
      environment,
      windowS,
      onlyWhenArmed: gate === 'only_when_armed',
      traceId,
      parentTraceId,
      confirmedAt,
      keySeq,
      acceptedAt: at,
      incidentId: null,
      actor: null,
      via: null,
      contactId: null,
    })),
  );
}

/** The calls of one source, with the facts they were judged by. Stored only if those still hold. */
export interface AskedUnit {
  accountId: string;
  version: string;
  /** When one of those facts expires, in milliseconds since 1970; null if none does. */
  until: number | null;
  sourceId: string;
  sourceSeq: number;
  /** The armed mode that was assumed; undefined if no call depends on it. */
  assumed: ArmedMode | undefined;
  /** The number that the last group had when all was known that these calls assume; 0 if something is not. */
  known: number;
  /** The armed mode after these calls; undefined if they do not change it. */
  leads: ArmedMode | undefined;
  unit: JournaledUnit;
}

const acceptStatement: Statement<{ number: number | null; at: number; stale: number[]; run: string }> = {
  name: 'accept_group',
  text: `
SELECT number::float8 AS number, ${ms('accepted_at')} AS at, stale, run::text AS run
FROM tocsin_accept_group($1::text[], $2::uuid[], $3::int[], $4::timestamptz[], $5::bigint[], $6::text[], $7::bigint[], $8::text[],
  $9::json, $10::timestamptz)`,
};

/** What became of a group. `at`: the deployment's time, milliseconds since 1970. */
export interface AcceptedGroup {
  /** Null if nothing was stored. */
  number: number | null;
  at: number;
  /** The places of the units whose facts have changed; nothing of these is stored. */
  stale: ReadonlySet<number>;
  /** When this run of the server began: a server that takes over may give out numbers again. */
  run: string;
}

/**
 * Stores a group with one statement, which is a transaction of its own: when it returns, the group is committed. If it throws, the group may be
 * stored nevertheless (CommitLost): its callers get 503, and their retries count once more, which is harmless for every
 * call of /v1 (DECISIONS.md "Could not commit, deadline, overload"). `knownRun`: the run of the server that `known` of
 * the units is about; null if nothing is known.
 */
export async function acceptGroup(
  on: Pool | ClientBase,
  units: readonly AskedUnit[],
  knownRun: string | null,
): Promise<AcceptedGroup> {
  // The version of an account is looked up once for all its units.
  const accounts = new Map<string, number>();
  const owners = units.map(({ accountId, version }) => {
    const account = `${accountId},${version}`;
    const place = accounts.get(account) ?? accounts.size + 1;
    accounts.set(account, place);
    return place;
  });
  const pairs = [...accounts.keys()].map(account => account.split(','));
  const [row] = await runAlone(on, acceptStatement, [
    list(pairs.map(([accountId]) => accountId!)),
    list(pairs.map(([, version]) => version!)),
    list(owners),
    list(units.map(unit => (unit.until === null ? null : new Date(unit.until).toISOString()))),
    list(units.map(unit => unit.sourceSeq)),
    list(units.map(unit => word(unit.assumed))),
    list(units.map(unit => unit.known)),
    list(units.map(unit => word(unit.leads))),
    JSON.stringify(units.map(({ unit }) => unit)),
    knownRun,
  ]);
  const { number, at, stale, run } = row!;
  return { number, at, stale: new Set(stale.map(place => place - 1)), run };
}

function word(mode: ArmedMode | undefined): string | null {
  return mode === undefined ? null : (mode ?? 'disarmed');
}

/**
 * Returns an array of words and numbers that need no quotes in Postgres syntax: a tenth of the cost of the driver's
 * quoting.
 */
export function list(values: readonly (string | number | null)[]): string {
  return `{${values.map(value => value ?? 'NULL').join(',')}}`;
}
