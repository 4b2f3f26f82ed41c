/** No group contains more calls: a group of the version before has 500 at most. */
const GROUP_MOST = 1_000;

/**
 * Actions that wait individually, in the order of their numbers: those of people, and those of machines that found no
 * room in their account's share or could not be applied. due_at: when their account's turn may reach them.
 */
const queue = [
  `CREATE TABLE queued_action (
     account_id text NOT NULL,
     source_seq bigint NOT NULL,
     id bigint NOT NULL,
     due_at timestamptz NOT NULL,
     failing_since timestamptz,
     tries int NOT NULL DEFAULT 0,
     verb text NOT NULL,
     mode text,
     environment text NOT NULL,
     window_s int NOT NULL DEFAULT 0,
     only_when_armed boolean NOT NULL DEFAULT false,
     trace_id uuid NOT NULL,
     key_seq bigint,
     incident_id text,
     actor text,
     via text,
     contact_id text,
     accepted_at timestamptz NOT NULL,
     PRIMARY KEY (source_seq, id)
   ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  'CREATE INDEX queued_action_due ON queued_action (account_id, due_at)',
];

/**
 * Moves what waits into one sequence with what will be accepted: calls of machines as groups of the journal, split
 * where an action of a person comes between them, and those actions into the queue. So they are applied in the order in
 * which they were accepted, and not as parked calls, which people's actions overtake.
 */
const moved = [
  `WITH marked AS (
     SELECT a.*, CASE WHEN a.actor IS NULL AND lag(a.actor) OVER line IS NULL AND lag(a.accepted_at) OVER line = a.accepted_at
       AND row_number() OVER line % ${GROUP_MOST} <> 0 THEN 0 ELSE 1 END AS begins
     FROM action a WINDOW line AS (ORDER BY a.id)
   ),
   numbered AS MATERIALIZED (
     SELECT m.*, s.seq AS source_seq, k.seq AS key_seq,
       (SELECT last_value FROM journal_number) + sum(m.begins) OVER (ORDER BY m.id) AS number
     FROM marked m
     JOIN source s ON s.account_id = m.account_id AND s.id = m.source_id
     LEFT JOIN api_key k ON k.account_id = m.account_id AND k.id = m.key_id
   ),
   of_machines AS (
     INSERT INTO journal (id, at, calls)
     SELECT number, min(accepted_at), json_agg(json_build_array(source_seq, environment,
       CASE WHEN only_when_armed THEN 'only_when_armed' ELSE 'always' END,
       json_build_array(json_build_array(trace_id, key_seq, verb, mode, window_s))) ORDER BY id)
     FROM numbered WHERE actor IS NULL GROUP BY number
   )
   INSERT INTO queued_action (account_id, source_seq, id, due_at, verb, mode, environment, window_s, only_when_armed,
     trace_id, key_seq, incident_id, actor, via, contact_id, accepted_at)
   SELECT account_id, source_seq, number * 1024, CASE WHEN verb IN ('acknowledge', 'close') THEN '-infinity' ELSE accepted_at END,
     verb, mode, environment, window_s, only_when_armed, trace_id, key_seq, incident_id, actor, via, contact_id, accepted_at
   FROM numbered WHERE actor IS NOT NULL`,
  `SELECT setval('journal_number', greatest((SELECT last_value FROM journal_number),
     (SELECT max(id) FROM journal), (SELECT max(id) / 1024 FROM queued_action)))`,
];

/**
 * Replaces the queue of the version before: whatever that version still does with it is refused in a way that its
 * callers see as 503, and nothing is stored. If the table were just gone, they would be told that something is wrong on
 * our side (500); if it were an empty table, timers would fire ahead of the calls that wait here.
 */
const refusal = [
  'DROP TABLE action',
  // All columns come from the function, so no query of any of them can be answered without it.
  `CREATE FUNCTION tocsin_refuse_version_before() RETURNS TABLE (account_id text, source_id text, id bigint, verb text, mode text,
     environment text, window_s int, only_when_armed boolean, trace_id uuid, key_id text, incident_id text, actor text,
     accepted_at timestamptz, via text, contact_id text)
   LANGUAGE plpgsql AS $$
   BEGIN
     RAISE EXCEPTION 'This database is in use by a later version: stop this process.'
       USING ERRCODE = 'object_not_in_prerequisite_state';
   END $$`,
  'CREATE VIEW action AS SELECT * FROM tocsin_refuse_version_before()',
];

export const waiting = [...queue, ...moved, ...refusal];
