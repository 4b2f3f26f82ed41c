/** The log of calls: each row written once, with numbers instead of identifiers, and read through the view call_log. */
export const log = [
  // No foreign keys and few indexes, all on numbers: every call writes here. The oldest call of a source is looked up all
  // the time: not behind a fifth of the log that is deleted already, so it is vacuumed often.
  `CREATE TABLE logged_call (
     account_seq bigint NOT NULL,
     id bigint NOT NULL,
     at timestamptz NOT NULL,
     applied_at timestamptz,
     -- Of a call that the database lost and that was stored again (DECISIONS.md "The database went back").
     confirmed_at timestamptz,
     trace_id uuid NOT NULL,
     -- Of the \`traceparent\` that came with the call (DECISIONS.md "Who opens what").
     parent_trace_id uuid,
     source_seq bigint,
     key_seq bigint,
     incident_seq bigint,
     pending_id bigint,
     verb text NOT NULL,
     mode text,
     environment text,
     outcome text NOT NULL,
     actor text,
     -- Of a trigger that we made ourselves, because nothing was heard of its key: since when.
     silent_since timestamptz,
     asked_id text,
     -- One row may stand for several refused calls (DECISIONS.md "Limited and shed calls").
     times int NOT NULL DEFAULT 1 CHECK (times > 0),
     PRIMARY KEY (account_seq, id)
   ) WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_scale_factor = 0.02)`,
  'CREATE INDEX logged_call_source ON logged_call (source_seq, id)',
  'CREATE INDEX logged_call_trace ON logged_call (trace_id)',
  // Few calls have one.
  'CREATE INDEX logged_call_parent ON logged_call (parent_trace_id, id) WHERE parent_trace_id IS NOT NULL',
  // The calls of an incident except those that fold into it, which may be any number and are found through its source.
  `CREATE INDEX logged_call_incident ON logged_call (incident_seq, id)
     WHERE incident_seq IS NOT NULL AND outcome <> 'folded'`,
  'CREATE INDEX logged_call_pending ON logged_call (pending_id, id) WHERE pending_id IS NOT NULL',
  // Only refused calls are counted and dropped: no flood of them may push out the outcome of an accepted one.
  'CREATE INDEX logged_call_refused ON logged_call (account_seq, id) WHERE applied_at IS NULL',
  // As audit_recent.
  'CREATE INDEX logged_call_recent ON logged_call USING brin (applied_at) WITH (autosummarize = on)',

  // How a false-alarm window ended: its triggers are in the log as pending, and are read with the outcome of the
  // window.
  `CREATE TABLE window_end (
     pending_id bigint PRIMARY KEY,
     account_seq bigint NOT NULL,
     incident_seq bigint,
     trace_id uuid,
     at timestamptz NOT NULL DEFAULT tocsin_now()
   )`,
  'CREATE INDEX window_end_incident ON window_end (incident_seq)',

  `CREATE VIEW call_log AS
   SELECT a.id AS account_id, c.id, c.trace_id, c.at, k.id AS key_id, k.label AS key_label, c.actor, c.verb,
     coalesce(s.id, c.asked_id, '') AS source_id, c.mode, c.environment,
     CASE
       WHEN w.pending_id IS NULL THEN c.outcome
       WHEN w.incident_seq IS NULL THEN 'cancelled'
       WHEN w.trace_id = c.trace_id THEN 'opened'
       ELSE 'folded'
     END AS outcome,
     c.applied_at, i.id AS incident_id, c.pending_id, c.account_seq, c.source_seq, c.key_seq, i.seq AS incident_seq,
     s.name AS source_name, s.kind AS source_kind, i.environment AS incident_environment, i.outcome AS incident_outcome,
     c.times, c.confirmed_at, c.silent_since
   FROM logged_call c
   JOIN account a ON a.seq = c.account_seq
   LEFT JOIN window_end w ON w.pending_id = c.pending_id AND c.verb = 'trigger'
   LEFT JOIN incident i ON i.seq = coalesce(w.incident_seq, c.incident_seq)
   LEFT JOIN source s ON s.seq = c.source_seq
   LEFT JOIN api_key k ON k.seq = c.key_seq`,
];
