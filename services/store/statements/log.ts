import type { Outcome } from '../../domain/action.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { type Cursor, type Folds, newestState } from './apply.ts';
import { list, type WaitingAction } from './journal.ts';
import { labelsKept } from './tripped.ts';

/** An applied action as the log stores it. */
export interface LoggedAction {
  accountSeq: number;
  action: WaitingAction;
  outcome: Outcome;
  incidentSeq: number | null;
  pendingId: string | null;
}

/** The columns as arrays of words and numbers, because this is written for every call. */
const writeStatement: Statement<never> = {
  name: 'log_calls',
  text: `
INSERT INTO logged_call (account_seq, id, at, applied_at, trace_id, source_seq, key_seq, incident_seq, pending_id, verb, mode,
  environment, outcome, actor, parent_trace_id, confirmed_at, silent_since)
SELECT r.account_seq, r.id, to_timestamp(r.at / 1000), t.now, r.trace_id, r.source_seq, r.key_seq, r.incident_seq,
  r.pending_id, r.verb, r.mode, r.environment, r.outcome, r.actor, r.parent_trace_id,
  to_timestamp(r.confirmed / 1000), to_timestamp(r.silent / 1000)
FROM unnest($1::bigint[], $2::bigint[], $3::float8[], $4::uuid[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
  $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::uuid[], $15::float8[], $16::float8[])
  AS r (account_seq, id, at, trace_id, source_seq, key_seq, incident_seq, pending_id, verb, mode, environment, outcome, actor,
    parent_trace_id, confirmed, silent)
CROSS JOIN (SELECT tocsin_now() AS now) t`,
};

/** Writes the results of actions. The number of a call is the key here, so none is ever applied twice. */
export async function logCalls(db: Connection, logged: readonly LoggedAction[]): Promise<void> {
  if (logged.length === 0) return;
  const actions = logged.map(({ action }) => action);
  await run(db, writeStatement, [
    list(logged.map(({ accountSeq }) => accountSeq)),
    list(actions.map(({ id }) => id)),
    list(actions.map(({ acceptedAt }) => acceptedAt)),
    list(actions.map(({ traceId }) => traceId)),
    list(actions.map(({ sourceSeq }) => sourceSeq)),
    list(actions.map(({ keySeq }) => keySeq)),
    list(logged.map(({ incidentSeq }) => incidentSeq)),
    list(logged.map(({ pendingId }) => pendingId)),
    list(actions.map(({ verb }) => verb)),
    list(actions.map(({ mode }) => mode)),
    list(actions.map(({ environment }) => environment)),
    list(logged.map(({ outcome }) => outcome)),
    // A person's name may contain anything.
    actions.map(({ actor }) => actor),
    list(actions.map(({ parentTraceId }) => parentTraceId)),
    list(actions.map(({ confirmedAt }) => confirmedAt)),
    list(actions.map(({ silentSince = null }) => silentSince)),
  ]);
}

const moveStatement: Statement<{ id: number }> = {
  name: 'move_cursor',
  text: `
WITH gone AS (DELETE FROM journal WHERE id = ANY ($1::bigint[])),
old AS (DELETE FROM journal_cursor WHERE id = $2)
INSERT INTO journal_cursor (applied_to, at, folds)
SELECT $3, coalesce((SELECT at FROM journal WHERE id = $3), o.at), $4
FROM journal_cursor o WHERE o.id = $2
RETURNING id::float8 AS id`,
};

/**
 * Moves the cursor past the groups that are applied (by number, in order), which leave the journal. `folds`: what is
 * left to be written. Returns the number of the new cursor.
 */
export async function moveCursor(
  db: Connection,
  from: Pick<Cursor, 'id' | 'appliedTo'>,
  groups: readonly number[],
  folds: Folds,
): Promise<number> {
  const appliedTo = groups.at(-1) ?? from.appliedTo;
  const [moved] = await run(db, moveStatement, [list(groups), from.id, appliedTo, JSON.stringify(folds)]);
  return moved!.id;
}

const foldsStatement: Statement<never> = {
  name: 'write_folds',
  text: `
WITH r AS MATERIALIZED (
  SELECT left(key, 1) AS of, substr(key, 2)::bigint AS seq, (fold ->> 0)::int AS count,
    to_timestamp((fold ->> 1)::float8 / 1000) AS last_at, (fold -> 3)::jsonb AS tripped_keys, (fold ->> 4)::bigint AS pending_id
  FROM json_each($1::json) AS e (key, fold)
),
pending AS (
  UPDATE source_state st SET pending_count = r.count, pending_last_at = r.last_at, pending_tripped_keys = r.tripped_keys,
    version = nextval('source_state_version')
  FROM r JOIN source s ON s.seq = r.seq CROSS JOIN LATERAL (${newestState('ctid', 's')}) o
  WHERE r.of = 'p' AND st.ctid = o.ctid AND st.pending_count < r.count
    AND coalesce(r.pending_id, st.pending_id) = st.pending_id
)
UPDATE incident i SET trigger_count = r.count, last_trigger_at = r.last_at,
  tripped_keys = r.tripped_keys, tripped_labels = ${labelsKept('i', 'r.tripped_keys')}
FROM r WHERE r.of = 'i' AND i.seq = r.seq AND i.trigger_count < r.count`,
};

/** Writes the counts of open incidents and pending triggers, and whose they are, to the rows that readers see. Counts only grow. */
export async function writeFolds(db: Connection, folds: Folds): Promise<void> {
  await run(db, foldsStatement, [JSON.stringify(folds)]);
}

/** How many refused calls an account keeps; the oldest go first (DECISIONS.md "Outcome of each call"). */
export const REFUSALS_KEPT = 10_000;

/** A call refused with a known key. `sourceId` is empty if what it named cannot be an identifier. */
export interface RefusedCall {
  accountId: string;
  keySeq: number;
  traceId: string;
  parentTraceId: string | null;
  /** Empty if its path does not exist. */
  verb: string;
  sourceId: string;
  mode: string | null;
  outcome: string;
  /** How many refused calls it stands for. */
  times: number;
  /** How long ago it was answered, in whole milliseconds. */
  agoMs: number;
}

const keepStatement: Statement<never> = {
  name: 'keep_refusals',
  text: `
WITH number AS MATERIALIZED (SELECT nextval('journal_number') * 1024 AS first, tocsin_now() AS now)
INSERT INTO logged_call (account_seq, id, at, trace_id, source_seq, key_seq, verb, mode, outcome, asked_id, parent_trace_id, times)
SELECT a.seq, number.first + r.n - 1, number.now - make_interval(secs => r."agoMs" / 1000), r."traceId", s.seq, r."keySeq", r.verb, r.mode, r.outcome,
  CASE WHEN s.seq IS NULL THEN r."sourceId" END, r."parentTraceId", r.times
FROM ROWS FROM (json_to_recordset($1::json) AS ("accountId" text, "keySeq" bigint, "traceId" uuid, verb text,
  "sourceId" text, mode text, outcome text, "parentTraceId" uuid, times int, "agoMs" float8)) WITH ORDINALITY
  AS r ("accountId", "keySeq", "traceId", verb, "sourceId", mode, outcome, "parentTraceId", times, "agoMs", n)
CROSS JOIN number
JOIN account a ON a.id = r."accountId"
LEFT JOIN source s ON s.account_id = a.id AND s.id = r."sourceId"`,
};

const trimStatement: Statement<never> = {
  name: 'trim_refusals',
  text: `
DELETE FROM logged_call c USING unnest($1::text[]) AS r (account_id) JOIN account a ON a.id = r.account_id
WHERE c.account_seq = a.seq AND c.applied_at IS NULL AND c.id <= (
  SELECT o.id FROM logged_call o WHERE o.account_seq = a.seq AND o.applied_at IS NULL
  ORDER BY o.id DESC OFFSET $2::int LIMIT 1
)`,
};

/**
 * Stores refused calls, at most 1,024 at once, and removes each account's oldest refusals beyond the limit; never an
 * accepted call.
 */
export async function keepRefusals(db: Connection, calls: readonly RefusedCall[]): Promise<void> {
  await run(db, keepStatement, [JSON.stringify(calls)]);
  await run(db, trimStatement, [[...new Set(calls.map(call => call.accountId))], REFUSALS_KEPT]);
}

const numbersStatement: Statement<{ id: string; seq: number }> = {
  name: 'incident_numbers',
  text: `
SELECT i.id, i.seq::float8 AS seq FROM unnest($1::text[], $2::text[]) AS r (account_id, id)
JOIN incident i ON i.account_id = r.account_id AND i.id = r.id`,
};

/** Returns the numbers of incidents by their ids. */
export async function readIncidentNumbers(
  db: Connection,
  incidents: readonly { accountId: string; incidentId: string }[],
): Promise<Map<string, number>> {
  const values = [incidents.map(({ accountId }) => accountId), incidents.map(({ incidentId }) => incidentId)];
  return new Map((await run(db, numbersStatement, values)).map(({ id, seq }) => [id, seq]));
}
