import type { ActionVerb } from '../domain/action.ts';
import type { Incident, Via } from '../domain/incident.ts';
import type { ModeId } from '../domain/mode.ts';
import type { Plan } from '../domain/plan.ts';
import type { Environment, ResponseKind, SourceKind } from '../domain/source.ts';
import { type Connection, run, type Statement } from './statement.ts';

/** A source whose row is locked by this transaction. */
export interface LockedSource {
  account_id: string;
  source_id: string;
}

/**
 * Locks the sources with the oldest waiting actions or with due timers, at most $1 of each. Rows that another worker
 * holds are skipped: it is at work on them. NO KEY UPDATE, so that a foreign key to the source makes nobody wait.
 */
const lockDueStatement: Statement<LockedSource> = {
  name: 'lock_due',
  text: `
SELECT st.account_id, st.source_id FROM source_state st
JOIN (
  SELECT account_id, source_id FROM (
    SELECT account_id, source_id FROM action ORDER BY id LIMIT $1
  ) waiting
  UNION
  (SELECT account_id, source_id FROM source_state
    WHERE pending_due_at <= (SELECT tocsin_now()) ORDER BY pending_due_at LIMIT $1)
  UNION
  (SELECT account_id, source_id FROM incident
    WHERE status = 'open' AND exhausts_at <= (SELECT tocsin_now()) ORDER BY exhausts_at LIMIT $1)
  UNION
  (SELECT account_id, source_id FROM incident
    WHERE status = 'open' AND auto_close_at <= (SELECT tocsin_now()) ORDER BY auto_close_at LIMIT $1)
) due USING (account_id, source_id)
ORDER BY st.account_id, st.source_id
FOR NO KEY UPDATE OF st SKIP LOCKED`,
};

/** Locks one source and waits for whoever holds it. */
const lockOneStatement: Statement<LockedSource> = {
  name: 'lock_one',
  text: 'SELECT account_id, source_id FROM source_state WHERE account_id = $1 AND source_id = $2 FOR NO KEY UPDATE',
};

/** A locked source with everything that the rules ask about it. */
export interface SourceRow extends LockedSource {
  now: Date;
  armed_mode: ModeId | null;
  pending_id: string | null;
  pending_due_at: Date | null;
  pending_mode: ModeId | null;
  pending_environment: Environment | null;
  pending_trace_id: string | null;
  pending_count: number | null;
  pending_last_at: Date | null;
  kind: SourceKind;
  name: string;
  disabled: boolean;
  clear_on_disarm: boolean;
  response_kind: ResponseKind | null;
  location_id: string;
  location_name: string;
  location_address: string;
  plan: Plan;
  account_created_at: Date;
  still_happening_s: number;
  incident_id: string | null;
  incident_mode: ModeId | null;
  incident_environment: Environment;
  incident_outcome: Incident['outcome'];
  opened_at: Date;
  window_ended_at: Date | null;
  escalation_ends_at: Date;
  acknowledged_at: Date | null;
  acknowledged_by: string | null;
  acknowledged_via: Via | null;
  acknowledged_contact_id: string | null;
  trigger_count: number;
  last_trigger_at: Date;
  incident_trace_id: string;
}

/** Runs after the lock, so that it sees what the last holder of the lock committed. */
const readSourcesStatement: Statement<SourceRow> = {
  name: 'read_sources',
  text: `
SELECT t.now, st.account_id, st.source_id, st.armed_mode, st.pending_id, st.pending_due_at, st.pending_mode,
  st.pending_environment, st.pending_trace_id, st.pending_count, st.pending_last_at,
  s.kind, s.name, s.disabled OR s.deactivated AS disabled, s.clear_on_disarm, s.response_kind,
  l.id AS location_id, l.name AS location_name, l.address AS location_address, a.plan, a.created_at AS account_created_at,
  a.still_happening_s,
  i.id AS incident_id, i.mode AS incident_mode, i.environment AS incident_environment, i.outcome AS incident_outcome,
  i.opened_at, i.window_ended_at, i.escalation_ends_at, i.acknowledged_at, i.acknowledged_by,
  i.acknowledged_via, i.acknowledged_contact_id, i.trigger_count,
  i.last_trigger_at, i.trace_id AS incident_trace_id
FROM unnest($1::text[], $2::text[]) AS locked (account_id, source_id)
CROSS JOIN (SELECT tocsin_now() AS now) t
JOIN source_state st USING (account_id, source_id)
JOIN source s ON s.account_id = st.account_id AND s.id = st.source_id
JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
JOIN account a ON a.id = s.account_id
LEFT JOIN incident i ON i.account_id = st.account_id AND i.source_id = st.source_id AND i.status = 'open'`,
};

export interface ActionRow {
  account_id: string;
  source_id: string;
  id: string;
  verb: ActionVerb;
  mode: ModeId | null;
  environment: Environment;
  window_s: number;
  only_when_armed: boolean;
  trace_id: string;
  accepted_at: Date;
  incident_id: string | null;
  actor: string | null;
  via: Via | null;
  contact_id: string | null;
}

/** The waiting actions of the locked sources in accepted order, at most $3 for each source. */
const readActionsStatement: Statement<ActionRow> = {
  name: 'read_actions',
  text: `
SELECT w.* FROM unnest($1::text[], $2::text[]) AS locked (account_id, source_id)
CROSS JOIN LATERAL (
  SELECT account_id, source_id, id, verb, mode, environment, window_s, only_when_armed, trace_id, accepted_at,
    incident_id, actor, via, contact_id
  FROM action a
  WHERE a.account_id = locked.account_id AND a.source_id = locked.source_id
  ORDER BY a.id LIMIT $3
) w`,
};

/** How many milliseconds until the next window end, unanswered escalation or auto-close; null when there is none. May be negative. */
const nextDueStatement: Statement<{ in_ms: number | null }> = {
  name: 'next_due',
  text: `
SELECT (extract(epoch FROM least(
  (SELECT min(pending_due_at) FROM source_state WHERE pending_due_at IS NOT NULL),
  (SELECT min(exhausts_at) FROM incident WHERE status = 'open' AND exhausts_at IS NOT NULL),
  (SELECT min(auto_close_at) FROM incident WHERE status = 'open')
) - tocsin_now()) * 1000)::float8 AS in_ms`,
};

export function lockDue(on: Connection, limit: number): Promise<LockedSource[]> {
  return run(on, lockDueStatement, [limit]);
}

export function lockOne(on: Connection, source: LockedSource): Promise<LockedSource[]> {
  return run(on, lockOneStatement, [source.account_id, source.source_id]);
}

export function readSources(on: Connection, locked: readonly LockedSource[]): Promise<SourceRow[]> {
  return run(on, readSourcesStatement, columns(locked));
}

export function readActions(on: Connection, locked: readonly LockedSource[], limit: number): Promise<ActionRow[]> {
  return run(on, readActionsStatement, [...columns(locked), limit]);
}

export async function nextTimerInMs(on: Connection): Promise<number | null> {
  const [row] = await run(on, nextDueStatement, []);
  return row?.in_ms ?? null;
}

function columns(locked: readonly LockedSource[]): [string[], string[]] {
  return [locked.map(source => source.account_id), locked.map(source => source.source_id)];
}
