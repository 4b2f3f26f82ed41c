import type { Statement } from '../../../services/store/statement.ts';

/*
 * The statements by which the version before the journal took calls in and applied them, word for word: a process of that
 * version which still runs while this one starts sends exactly these, prepared under these names. Never to be brought up to
 * date.
 */
export const OLD = {
  accept: {
    name: 'accept',
    text: `
WITH call AS MATERIALIZED (
  SELECT c.*, t.now
  FROM unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::text[])
    WITH ORDINALITY AS c (digest, kind, source_id, verb, named, trace_id, gate, n)
  CROSS JOIN (SELECT tocsin_now() AS now) t
),
found AS (
  SELECT c.n, c.verb, c.named, c.trace_id, c.gate, c.now,
    CASE
    WHEN k.id IS NULL THEN 'key_unknown'
    WHEN k.revoked_at IS NOT NULL THEN 'key_revoked'
    WHEN x.ends_at <= c.now OR k.expires_at <= c.now THEN 'key_expired'
  END AS key_fault,
    k.account_id, k.id AS key_id,
    s.id AS source_id, s.kind, s.disabled OR s.deactivated AS disabled, s.only_when_armed,
    CASE WHEN s.test OR l.test THEN 'test' ELSE 'live' END AS environment,
    l.id AS location_id, l.name AS location_name,
    st.pending_id,
    CASE WHEN waiting.verb IS NULL THEN st.armed_mode ELSE waiting.mode END AS armed_mode
  FROM call c
  LEFT JOIN api_key_secret x ON x.digest = c.digest
  LEFT JOIN api_key k ON k.account_id = x.account_id AND k.id = x.key_id
  LEFT JOIN source s ON s.account_id = k.account_id AND s.id = c.source_id AND s.kind = c.kind
    AND (k.alarm_id IS NULL OR k.alarm_id = s.id)
  LEFT JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
  LEFT JOIN source_state st ON st.account_id = s.account_id AND st.source_id = s.id
  LEFT JOIN LATERAL (
    SELECT a.verb, a.mode FROM action a
    WHERE a.account_id = s.account_id AND a.source_id = s.id AND a.verb IN ('arm', 'disarm')
    ORDER BY a.id DESC LIMIT 1
  ) waiting ON s.kind = 'alarm' AND c.verb IN ('arm', 'trigger') AND (c.named IS NULL OR s.only_when_armed)
),
aimed AS (
  SELECT f.*, m.id AS mode, m.window_s,
    CASE WHEN f.kind = 'alarm' AND f.verb IN ('arm', 'trigger') THEN aim.mode END AS effective
  FROM found f
  LEFT JOIN mode armed ON f.named IS NULL
    AND armed.account_id = f.account_id AND armed.source_id = f.source_id AND armed.id = f.armed_mode
  CROSS JOIN LATERAL (SELECT coalesce(f.named, armed.id, 'away') AS mode) aim
  LEFT JOIN mode m ON m.account_id = f.account_id AND m.source_id = f.source_id AND m.id = aim.mode
),
judged AS MATERIALIZED (
  SELECT a.*, CASE
    WHEN a.key_fault IS NOT NULL THEN a.key_fault
    WHEN a.source_id IS NULL THEN 'not_found'
    WHEN a.disabled THEN 'source_disabled'
    WHEN a.named = 'unknown' THEN 'unknown_mode'
    WHEN a.effective IS NOT NULL AND a.mode IS NULL AND (a.verb = 'trigger' OR a.named IS NOT NULL) THEN 'mode_missing'
    WHEN a.verb <> 'trigger' OR a.kind <> 'alarm' OR NOT a.only_when_armed THEN 'accepted'
    WHEN a.gate = 'unsettled' AND EXISTS (
      SELECT FROM action w
      WHERE w.account_id = a.account_id AND w.source_id = a.source_id
    ) THEN 'unsettled'
    WHEN a.armed_mode IS NULL AND a.pending_id IS NULL AND NOT EXISTS (
      SELECT FROM incident i
      WHERE i.account_id = a.account_id AND i.source_id = a.source_id AND i.status = 'open' AND i.auto_close_at > a.now
    ) THEN 'held_by_gate'
    ELSE 'accepted' END AS verdict
  FROM aimed a
),
stored AS (
  INSERT INTO action
    (account_id, source_id, verb, mode, environment, window_s, only_when_armed, trace_id, key_id, accepted_at)
  SELECT account_id, source_id, verb, effective, environment, CASE WHEN verb = 'trigger' THEN coalesce(window_s, 0) ELSE 0 END,
    only_when_armed, trace_id, key_id, now
  FROM judged WHERE verdict = 'accepted' ORDER BY n
)
SELECT verdict, account_id, key_id, environment, location_id, location_name FROM judged ORDER BY n`,
  },
  lockDue: {
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
  },
  lockOne: {
    name: 'lock_one',
    text: `SELECT account_id, source_id FROM source_state WHERE account_id = $1 AND source_id = $2 FOR NO KEY UPDATE`,
  },
  readSources: {
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
  },
  readActions: {
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
  },
  enqueueOwn: {
    name: 'enqueue_own_actions',
    text: `
INSERT INTO action (account_id, source_id, verb, mode, environment, window_s, only_when_armed, trace_id, incident_id,
  actor, via, contact_id, accepted_at)
SELECT account_id, source_id, verb, mode, coalesce(environment, 'live'), coalesce(window_s, 0),
  coalesce(only_when_armed, false), trace_id, incident_id, actor, via,
  contact_id, t.now
FROM ROWS FROM (json_to_recordset($1::json) AS (account_id text, source_id text, verb text, mode text, environment text,
  window_s int, only_when_armed boolean, trace_id uuid, incident_id text, actor text,
  via text, contact_id text)) WITH ORDINALITY
  AS r (account_id, source_id, verb, mode, environment, window_s, only_when_armed, trace_id, incident_id, actor, via,
  contact_id, n)
CROSS JOIN (SELECT tocsin_now() AS now) t
ORDER BY n`,
  },
  keepRefusals: {
    name: 'keep_refusals',
    text: `
INSERT INTO call_log (account_id, key_id, trace_id, at, verb, source_id, mode, outcome)
SELECT account_id, key_id, trace_id, tocsin_now(), verb, source_id, mode, outcome
FROM json_to_recordset($1::json) AS r
  (account_id text, key_id text, trace_id uuid, verb text, source_id text, mode text, outcome text)`,
  },
  writeStates: {
    name: 'write_states',
    text: `
UPDATE source_state st SET armed_mode = r.armed_mode, pending_id = r.pending_id, pending_due_at = r.pending_due_at,
  pending_mode = r.pending_mode, pending_environment = r.pending_environment, pending_trace_id = r.pending_trace_id,
  pending_count = r.pending_count, pending_last_at = r.pending_last_at
FROM json_to_recordset($1::json) AS r (account_id text, source_id text, armed_mode text, pending_id bigint,
  pending_due_at timestamptz, pending_mode text, pending_environment text, pending_trace_id uuid, pending_count int,
  pending_last_at timestamptz)
WHERE st.account_id = r.account_id AND st.source_id = r.source_id`,
  },
  changeIncidents: {
    name: 'change_incidents',
    text: `
UPDATE incident i SET status = r.status, outcome = r.outcome, exhausts_at = r.exhausts_at,
  escalation_ends_at = r.escalation_ends_at, auto_close_at = r.auto_close_at, acknowledged_at = r.acknowledged_at,
  acknowledged_by = r.acknowledged_by, acknowledged_via = r.acknowledged_via,
  acknowledged_contact_id = r.acknowledged_contact_id, closed_at = r.closed_at, close_reason = r.close_reason, trigger_count = r.trigger_count, last_trigger_at = r.last_trigger_at
FROM json_to_recordset($1::json) AS r (account_id text, id text, status text, outcome text, escalation_ends_at timestamptz, auto_close_at timestamptz,
  exhausts_at timestamptz, acknowledged_at timestamptz, acknowledged_by text, acknowledged_via text,
  acknowledged_contact_id text, closed_at timestamptz, close_reason text, trigger_count int,
  last_trigger_at timestamptz)
WHERE i.account_id = r.account_id AND i.id = r.id`,
  },
  openIncidents: {
    name: 'open_incidents',
    text: `
INSERT INTO incident (account_id, id, source_id, location_id, mode, environment, reply_code, opened_at, window_ended_at,
  trace_id, copy, status, outcome, escalation_ends_at, auto_close_at, exhausts_at, acknowledged_at, acknowledged_by,
  acknowledged_via, acknowledged_contact_id, closed_at, close_reason, trigger_count, last_trigger_at, applied_at)
SELECT account_id, id, source_id, location_id, mode, environment, reply_code, opened_at, window_ended_at,
  trace_id, copy, status, outcome, escalation_ends_at, auto_close_at, exhausts_at, acknowledged_at, acknowledged_by,
  acknowledged_via, acknowledged_contact_id, closed_at, close_reason, trigger_count, last_trigger_at, tocsin_now()
FROM json_to_recordset($1::json) AS r (account_id text, id text, source_id text, location_id text, mode text,
  environment text, reply_code text, opened_at timestamptz, window_ended_at timestamptz, trace_id uuid, copy jsonb,
  status text, outcome text, escalation_ends_at timestamptz, auto_close_at timestamptz,
  exhausts_at timestamptz, acknowledged_at timestamptz, acknowledged_by text, acknowledged_via text,
  acknowledged_contact_id text, closed_at timestamptz, close_reason text, trigger_count int,
  last_trigger_at timestamptz)`,
  },
  writeEntries: {
    name: 'write_entries',
    text: `
INSERT INTO incident_entry (account_id, incident_id, at, kind, detail)
SELECT account_id, incident_id, at, kind, detail
FROM json_to_recordset($1::json) AS r (account_id text, incident_id text, at timestamptz, kind text, detail text)`,
  },
  writeOutcomes: {
    name: 'write_outcomes',
    text: `
WITH applied AS (
  DELETE FROM action a
  USING json_to_recordset($1::json) AS r
    (account_id text, source_id text, id bigint, outcome text, incident_id text, pending_id bigint)
  WHERE a.account_id = r.account_id AND a.source_id = r.source_id AND a.id = r.id
  RETURNING a.account_id, a.trace_id, a.accepted_at, a.key_id, a.actor, a.verb, a.source_id, a.mode, a.environment,
    r.outcome, r.incident_id, r.pending_id, a.id
)
INSERT INTO call_log (account_id, trace_id, at, key_id, actor, verb, source_id, mode, environment, outcome, applied_at,
  incident_id, pending_id)
SELECT account_id, trace_id, accepted_at, key_id, actor, verb, source_id, mode, environment, outcome, tocsin_now(),
  incident_id, pending_id
FROM applied ORDER BY id`,
  },
  settlePending: {
    name: 'settle_pending',
    text: `
UPDATE call_log c SET incident_id = r.incident_id, outcome = CASE
    WHEN r.incident_id IS NULL THEN 'cancelled' WHEN c.trace_id = r.trace_id THEN 'opened' ELSE 'folded' END
FROM json_to_recordset($1::json) AS r (account_id text, pending_id bigint, incident_id text, trace_id uuid)
WHERE c.account_id = r.account_id AND c.pending_id = r.pending_id AND c.verb = 'trigger'`,
  },
} as const satisfies Record<string, Statement<unknown>>;
