import { type Connection, run, type Statement } from '../statement.ts';
import type { CallRow } from './call-row.ts';
import { outcomeShown } from './unreached.ts';
import { readWaiting } from './waiting-calls.ts';

/** The columns of a logged call `c` of the view call_log. */
export const LOGGED = `c.id::text AS id, CASE WHEN c.applied_at IS NULL THEN 'refused' ELSE 'applied' END AS state, c.outcome, c.times,
  c.trace_id AS "traceId", (extract(epoch FROM c.at) * 1000)::float8 AS at,
  (extract(epoch FROM c.confirmed_at) * 1000)::float8 AS "confirmedAt",
  (extract(epoch FROM c.applied_at) * 1000)::float8 AS "appliedAt", c.verb, c.mode, c.environment,
  c.source_id AS "sourceId", c.source_name AS "sourceName", c.source_kind AS "sourceKind", c.key_id AS "keyId",
  c.key_seq::float8 AS "keySeq", c.key_label AS "keyLabel", c.actor,
  (extract(epoch FROM c.silent_since) * 1000)::float8 AS "silentSince",
  c.pending_id::text AS "pendingId", c.incident_id AS "incidentId", c.incident_environment AS "incidentEnvironment",
  CASE WHEN c.incident_seq IS NOT NULL THEN (
    SELECT ${outcomeShown('i')} FROM incident i WHERE i.seq = c.incident_seq
  ) END AS "incidentOutcome"`;

/** The condition that a logged call `c` belongs to account $1. */
export const OF_ACCOUNT = 'c.account_seq = (SELECT seq FROM account WHERE id = $1)';

/** How many calls of one trace are returned, newest first: a client may reuse a traceparent any number of times. */
const FOUND_MOST = 200;

/** Separate subqueries, so that each finds its rows by its own index. */
const findStatement: Statement<CallRow> = {
  name: 'find_calls',
  text: `
SELECT ${LOGGED} FROM call_log c WHERE ${OF_ACCOUNT} AND c.id = ANY (ARRAY(
  (SELECT l.id FROM logged_call l WHERE l.trace_id = $2 AND l.account_seq = (SELECT seq FROM account WHERE id = $1)
    ORDER BY l.id DESC LIMIT $3)
  UNION
  (SELECT l.id FROM logged_call l WHERE l.parent_trace_id = $2 AND l.account_seq = (SELECT seq FROM account WHERE id = $1)
    ORDER BY l.id DESC LIMIT $3)
)) ORDER BY c.id DESC LIMIT $3`,
};

/**
 * Returns the calls of an account with this trace id (a UUID in lower case), their own or from their traceparent,
 * newest first, at most FOUND_MOST.
 */
export async function findCalls(db: Connection, accountId: string, traceId: string): Promise<CallRow[]> {
  // Read waiting calls first: a call applied in between is then found in the log.
  const waiting = await readWaiting(db, accountId, traceId);
  const logged = await run(db, findStatement, [accountId, traceId, FOUND_MOST]);
  const ids = new Set(logged.map(({ id }) => id));
  return [...waiting.filter(({ id }) => !ids.has(id)), ...logged].slice(0, FOUND_MOST);
}

/** Which calls to list. Null: no restriction. */
export interface CallFilter {
  sourceId: string | null;
  keyId: string | null;
  outcome: string | null;
}

/** Logged calls, and the number down to which was searched if more may follow below it; null if there are no more. */
export interface LoggedCalls {
  calls: CallRow[];
  lookedTo: string | null;
}

/** How many calls are searched for one page: what no index answers must not take longer as the log grows. */
export const LOOKED_AT = 20_000;

/** Returns the logged calls of an account, but for those of drills, below a number (null: all), newest first, out of the newest LOOKED_AT. */
export async function readLogged(
  db: Connection,
  accountId: string,
  filter: CallFilter,
  below: string | null,
  limit: number,
): Promise<LoggedCalls> {
  const values: unknown[] = [accountId, limit];
  const conditions: string[] = [];
  const names: string[] = [];
  const where = (name: string, condition: string, value: unknown) => {
    if (value === null) return;
    values.push(value);
    names.push(name);
    conditions.push(` AND ${condition.replace('?', `$${values.length}`)}`);
  };
  where('below', 'c.id < ?::bigint', below);
  const source = filter.sourceId === null ? null : await numberOf(db, accountId, filter.sourceId);
  where('source', 'c.source_seq = ?::bigint', source);
  // The source belongs to another account or does not exist: only refused calls name it.
  const asked = source === null ? filter.sourceId : null;
  where('asked', 'c.source_id = ?', asked);
  where('key', 'c.key_seq = (SELECT seq FROM api_key WHERE account_id = $1 AND id = ?)', filter.keyId);
  where('outcome', 'c.outcome = ?', filter.outcome);
  const lookedTo =
    (filter.keyId ?? filter.outcome ?? asked) === null ? null : await floorOf(db, accountId, source, below);
  where('from', 'c.id >= ?::bigint', lookedTo);
  // One statement per combination, because each finds its rows by another index.
  const statement: Statement<CallRow> = {
    name: ['list_calls', ...names].join('_'),
    text: `SELECT ${LOGGED} FROM call_log c WHERE ${OF_ACCOUNT} AND c.environment IS DISTINCT FROM 'drill'${conditions.join('')}
ORDER BY c.id DESC LIMIT $2`,
  };
  const calls = await run(db, statement, values);
  return { calls, lookedTo: calls.length < limit ? lookedTo : null };
}

/** Returns where a search without an index ends; null if there are fewer calls than that. */
async function floorOf(
  db: Connection,
  accountId: string,
  source: string | null,
  below: string | null,
): Promise<string | null> {
  const values = [accountId, below ?? '9223372036854775807', LOOKED_AT - 1, ...(source === null ? [] : [source])];
  const [row] = await run(db, source === null ? floorStatement : floorOfSourceStatement, values);
  return row?.id ?? null;
}

const floorStatement: Statement<{ id: string }> = {
  name: 'calls_looked_to',
  text: `SELECT c.id::text AS id FROM logged_call c WHERE ${OF_ACCOUNT} AND c.id < $2 ORDER BY c.id DESC OFFSET $3 LIMIT 1`,
};

const floorOfSourceStatement: Statement<{ id: string }> = {
  name: 'calls_of_source_looked_to',
  text: `SELECT c.id::text AS id FROM logged_call c WHERE ${OF_ACCOUNT} AND c.source_seq = $4 AND c.id < $2
    ORDER BY c.id DESC OFFSET $3 LIMIT 1`,
};

const numberStatement: Statement<{ seq: string }> = {
  name: 'source_number',
  text: 'SELECT seq::text AS seq FROM source WHERE account_id = $1 AND id = $2',
};

async function numberOf(db: Connection, accountId: string, sourceId: string): Promise<string | null> {
  const [row] = await run(db, numberStatement, [accountId, sourceId]);
  return row?.seq ?? null;
}

/** The result of an applied action. */
export interface AppliedAction {
  outcome: string;
  incidentId: string | null;
}

const appliedStatement: Statement<AppliedAction> = {
  name: 'applied_action',
  text: `
SELECT c.outcome, c.incident_id AS "incidentId" FROM call_log c
WHERE ${OF_ACCOUNT} AND c.trace_id = $2 AND c.applied_at IS NOT NULL ORDER BY c.id DESC LIMIT 1`,
};

/** Returns the result of an action, or null while it waits. */
export async function appliedAction(db: Connection, accountId: string, traceId: string): Promise<AppliedAction | null> {
  const [row] = await run(db, appliedStatement, [accountId, traceId]);
  return row ?? null;
}
