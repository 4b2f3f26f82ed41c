/** What changes with calls: the state of sources, the queue of accepted calls, and the log of all calls. */
export const moving = [
  // The row that the engine locks. Separate from source, so that an owner's edit and the engine never wait for each
  // other.
  `CREATE TABLE source_state (
     account_id text NOT NULL,
     source_id text NOT NULL,
     armed_mode text CHECK (armed_mode IN ('home', 'away', 'night', 'vacation')),
     pending_id bigint,
     pending_due_at timestamptz,
     pending_mode text,
     pending_environment text,
     pending_trace_id uuid,
     pending_count int,
     pending_last_at timestamptz,
     PRIMARY KEY (account_id, source_id),
     FOREIGN KEY (account_id, source_id) REFERENCES source (account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   ) WITH (fillfactor = 70)`,
  'CREATE INDEX source_state_due ON source_state (pending_due_at) WHERE pending_due_at IS NOT NULL',
  // The queue of accepted calls: a row is deleted as soon as it is applied and its outcome is in call_log, so that what
  // every accept touches stays small. No foreign keys, two indexes: this is the hot path.
  `CREATE TABLE action (
     account_id text NOT NULL,
     source_id text NOT NULL,
     id bigint GENERATED ALWAYS AS IDENTITY,
     verb text NOT NULL,
     mode text,
     environment text NOT NULL,
     window_s int NOT NULL DEFAULT 0,
     only_when_armed boolean NOT NULL DEFAULT false,
     trace_id uuid NOT NULL,
     key_id text,
     incident_id text,
     actor text,
     accepted_at timestamptz NOT NULL,
     PRIMARY KEY (account_id, source_id, id)
   ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  'CREATE INDEX action_oldest ON action (id)',
  // What an alarm will be armed in once its waiting calls are applied: every bare call asks for it.
  `CREATE INDEX action_arming ON action (account_id, source_id, id) WHERE verb IN ('arm', 'disarm')`,
  `CREATE TABLE call_log (
     account_id text NOT NULL,
     id bigint GENERATED ALWAYS AS IDENTITY,
     trace_id uuid NOT NULL,
     at timestamptz NOT NULL,
     key_id text,
     actor text,
     verb text NOT NULL,
     source_id text NOT NULL,
     mode text,
     environment text,
     outcome text NOT NULL,
     applied_at timestamptz,
     incident_id text,
     pending_id bigint,
     PRIMARY KEY (account_id, id)
   ) WITH (autovacuum_vacuum_insert_scale_factor = 0.05)`,
  'CREATE INDEX call_log_trace ON call_log (trace_id)',
  // Only refused calls are counted and dropped: no flood of them may push out the outcome of an accepted one.
  'CREATE INDEX call_log_refused ON call_log (account_id, id) WHERE applied_at IS NULL',
  'CREATE INDEX call_log_incident ON call_log (account_id, incident_id) WHERE incident_id IS NOT NULL',
  'CREATE INDEX call_log_pending ON call_log (account_id, pending_id) WHERE pending_id IS NOT NULL',
];
