import type { OldDatabase } from './rig.ts';

/* What calls came to, asked in words that the databases of both versions understand. Numbers and ids differ between them. */

type Rows = Pick<OldDatabase, 'rows'>;

/** Every applied call with its outcome and the trace id of its incident, by source in the order of applying. */
export function appliedCalls({ rows }: Rows) {
  return rows(`
SELECT c.source_id, c.trace_id, c.verb, c.outcome, i.trace_id AS incident FROM call_log c
LEFT JOIN incident i ON i.account_id = c.account_id AND i.id = c.incident_id
WHERE c.applied_at IS NOT NULL ORDER BY c.source_id, c.id`);
}

/** Every incident, with all that calls and timers did to it. */
export function incidents({ rows }: Rows) {
  return rows(`
SELECT source_id, trace_id, environment, status, outcome, opened_at, window_ended_at, acknowledged_at, acknowledged_by, closed_at,
  close_reason, trigger_count, last_trigger_at
FROM incident ORDER BY source_id, opened_at, trace_id`);
}

/** The armed mode and the window of every source. */
export function states({ rows }: Rows) {
  return rows(`
SELECT source_id, armed_mode, pending_trace_id, pending_due_at, pending_mode, pending_environment, pending_count, pending_last_at
FROM source_state ORDER BY source_id`);
}

/** All of it. */
export async function aftermath(of: Rows) {
  return { calls: await appliedCalls(of), incidents: await incidents(of), states: await states(of) };
}
