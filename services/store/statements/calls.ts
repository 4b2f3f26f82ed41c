import { type Connection, run, type Statement } from '../statement.ts';
import { outcomeShown } from '../unreached-statements.ts';
import type { CallRow } from './call-row.ts';
import { readWaiting } from './waiting-calls.ts';

const LOGGED = `c.id::text AS id, CASE WHEN c.applied_at IS NULL THEN 'refused' ELSE 'applied' END AS state, c.outcome,
  c.trace_id AS "traceId", (extract(epoch FROM c.at) * 1000)::float8 AS at,
  (extract(epoch FROM c.applied_at) * 1000)::float8 AS "appliedAt", c.verb, c.mode, c.environment,
  c.source_id AS "sourceId", c.source_name AS "sourceName", c.source_kind AS "sourceKind", c.key_id AS "keyId", c.actor,
  c.pending_id::text AS "pendingId", c.incident_id AS "incidentId", c.incident_environment AS "incidentEnvironment",
  CASE WHEN c.incident_seq IS NOT NULL THEN (
    SELECT ${outcomeShown('i')} FROM incident i WHERE i.seq = c.incident_seq
  ) END AS "incidentOutcome"`;

const OF_ACCOUNT = 'c.account_seq = (SELECT seq FROM account WHERE id = $1)';

/** How many calls of one trace are found, the newest: whoever hands a traceparent on may do so without end. */
export const FOUND_MOST = 200;

/** Apart, so that each finds its rows by its own index. */
const findStatement: Statement<CallRow> = {
  name: 'find_calls',
  text: `
SELECT ${LOGGED} FROM call_log c WHERE ${OF_ACCOUNT} AND c.id IN (
  (SELECT l.id FROM logged_call l WHERE l.trace_id = $2 AND l.account_seq = (SELECT seq FROM account WHERE id = $1)
    ORDER BY l.id DESC LIMIT $3)
  UNION
  (SELECT l.id FROM logged_call l WHERE l.parent_trace_id = $2 AND l.account_seq = (SELECT seq FROM account WHERE id = $1)
    ORDER BY l.id DESC LIMIT $3)
) ORDER BY c.id DESC LIMIT $3`,
};

/**
 * The calls of an account that bear a trace id (a UUID in lower case) or came with a traceparent of it, newest first, at
 * most FOUND_MOST.
 */
export async function findCalls(on: Connection, accountId: string, traceId: string): Promise<CallRow[]> {
  // What waits first: a call that is applied in between is then found in the log.
  const waiting = await readWaiting(on, accountId, traceId);
  const logged = await run(on, findStatement, [accountId, traceId, FOUND_MOST]);
  const ids = new Set(logged.map(({ id }) => id));
  return [...waiting.filter(({ id }) => !ids.has(id)), ...logged].slice(0, FOUND_MOST);
}

/** Which calls are listed. Null: it does not matter. */
export interface CallFilter {
  sourceId: string | null;
  keyId: string | null;
  outcome: string | null;
}

/** Logged calls, and the number down to which was looked where more may fit below it; null: there are no more. */
export interface LoggedCalls {
  calls: CallRow[];
  lookedTo: string | null;
}

/** How many calls are looked at for one page: what no index answers must not take longer the longer the log is. */
const LOOKED_AT = 20_000;

/** The logged calls of an account below a number (null: all), newest first, of the newest LOOKED_AT. */
export async function readLogged(
  on: Connection,
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
  const source = filter.sourceId === null ? null : await numberOf(on, accountId, filter.sourceId);
  where('source', 'c.source_seq = ?::bigint', source);
  // Of another account, or of none: only refused calls name it.
  const asked = source === null ? filter.sourceId : null;
  where('asked', 'c.source_id = ?', asked);
  where('key', 'c.key_seq = (SELECT seq FROM api_key WHERE account_id = $1 AND id = ?)', filter.keyId);
  where('outcome', 'c.outcome = ?', filter.outcome);
  const lookedTo =
    (filter.keyId ?? filter.outcome ?? asked) === null ? null : await floorOf(on, accountId, source, below);
  where('from', 'c.id >= ?::bigint', lookedTo);
  // One statement for each combination: each finds its rows by another index.
  const statement: Statement<CallRow> = {
    name: ['list_calls', ...names].join('_'),
    text: `SELECT ${LOGGED} FROM call_log c WHERE ${OF_ACCOUNT}${conditions.join('')} ORDER BY c.id DESC LIMIT $2`,
  };
  const calls = await run(on, statement, values);
  return { calls, lookedTo: calls.length < limit ? lookedTo : null };
}

/** Where the look for what no index finds ends; null: there are fewer calls than that. */
async function floorOf(
  on: Connection,
  accountId: string,
  source: string | null,
  below: string | null,
): Promise<string | null> {
  const values = [accountId, below ?? '9223372036854775807', LOOKED_AT - 1, ...(source === null ? [] : [source])];
  const [row] = await run(on, source === null ? floorStatement : floorOfSourceStatement, values);
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

async function numberOf(on: Connection, accountId: string, sourceId: string): Promise<string | null> {
  const [row] = await run(on, numberStatement, [accountId, sourceId]);
  return row?.seq ?? null;
}

/** How many calls that folded into one incident are shown, the first ones: there may be any number. */
export const FOLDS_SHOWN = 200;

/** What else belongs to an incident is bounded by what people do. */
const OTHERS_SHOWN = 500;

/**
 * Folds are looked for among the calls of the source, up to the one that opened the next incident. Not up to one that began
 * a window: others may fold into this incident while that lasts.
 */
const ofIncidentStatement: Statement<CallRow> = {
  name: 'calls_of_incident',
  text: `
WITH i AS MATERIALIZED (
  SELECT i.seq, i.first_call_id, s.seq AS source_seq, coalesce((
    SELECT min(n.first_call_id) FROM incident n
    WHERE n.account_id = i.account_id AND n.source_id = i.source_id AND n.opened_at >= i.closed_at
      AND n.first_call_id > i.first_call_id AND n.window_ended_at IS NULL
  ), 9223372036854775807) AS next_call_id
  FROM incident i JOIN source s ON s.account_id = i.account_id AND s.id = i.source_id
  WHERE i.account_id = $1 AND i.id = $2
),
shown AS (
  (SELECT o.id FROM i CROSS JOIN LATERAL (
    SELECT id FROM logged_call c WHERE c.incident_seq = i.seq AND c.outcome <> 'folded' ORDER BY c.id LIMIT $4
  ) o)
  UNION
  (SELECT f.id FROM i CROSS JOIN LATERAL (
    SELECT id FROM logged_call c
    WHERE c.source_seq = i.source_seq AND c.id > i.first_call_id AND c.id < i.next_call_id
      AND c.incident_seq = i.seq AND c.outcome = 'folded'
    ORDER BY c.id LIMIT $3
  ) f)
  UNION
  (SELECT p.id FROM i JOIN window_end w ON w.incident_seq = i.seq CROSS JOIN LATERAL (
    SELECT id FROM logged_call c WHERE c.pending_id = w.pending_id AND c.verb = 'trigger' ORDER BY c.id LIMIT $3
  ) p)
)
SELECT ${LOGGED} FROM call_log c
WHERE ${OF_ACCOUNT} AND c.id IN (SELECT id FROM shown) ORDER BY c.id`,
};

/** The calls of an incident in order: all but the many that may fold into it, of which the first FOLDS_SHOWN. */
export function readCallsOf(on: Connection, accountId: string, incidentId: string): Promise<CallRow[]> {
  return run(on, ofIncidentStatement, [accountId, incidentId, FOLDS_SHOWN, OTHERS_SHOWN]);
}

/** What an applied action came to. */
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

/** What became of an action, or null while it waits. */
export async function appliedAction(on: Connection, accountId: string, traceId: string): Promise<AppliedAction | null> {
  const [row] = await run(on, appliedStatement, [accountId, traceId]);
  return row ?? null;
}
