import { type Connection, run, type Statement } from './statement.ts';

/** How many refused calls an account keeps; the oldest go first (DECISIONS.md "Outcome of each call"). */
export const REFUSALS_KEPT = 10_000;

export interface RefusedCall {
  account_id: string;
  key_id: string;
  trace_id: string;
  verb: string;
  source_id: string;
  mode: string | null;
  outcome: string;
}

const keepStatement: Statement<never> = {
  name: 'keep_refusals',
  text: `
INSERT INTO call_log (account_id, key_id, trace_id, at, verb, source_id, mode, outcome)
SELECT account_id, key_id, trace_id, tocsin_now(), verb, source_id, mode, outcome
FROM json_to_recordset($1::json) AS r
  (account_id text, key_id text, trace_id uuid, verb text, source_id text, mode text, outcome text)`,
};

const trimStatement: Statement<never> = {
  name: 'trim_refusals',
  text: `
DELETE FROM call_log c USING unnest($1::text[]) AS a (account_id)
WHERE c.account_id = a.account_id AND c.applied_at IS NULL AND c.id <= (
  SELECT o.id FROM call_log o WHERE o.account_id = a.account_id AND o.applied_at IS NULL
  ORDER BY o.id DESC OFFSET $2::int LIMIT 1
)`,
};

/** Keeps refused calls and lets go of each account's oldest refusals beyond the bound; never of an accepted call. */
export async function keepRefusals(on: Connection, calls: readonly RefusedCall[]): Promise<void> {
  await run(on, keepStatement, [JSON.stringify(calls)]);
  await run(on, trimStatement, [[...new Set(calls.map(call => call.account_id))], REFUSALS_KEPT]);
}
