import { LOCKS } from '../../lock.ts';

/*
 * One sequence of numbers for all calls: a group takes the next `journal_number`, and its calls get that number times
 * 1,024 plus their place in it. A call keeps its number from the journal to the log. Older calls have lower numbers.
 */

export const numbers = [
  'CREATE SEQUENCE journal_number AS bigint',
  // Taken from the sequences and not from the rows: windows that ended long ago have numbers of actions that are gone.
  `SELECT setval('journal_number', 1 + greatest(
     (SELECT last_value FROM action_id_seq), (SELECT last_value FROM call_log_id_seq)) / 1024)`,
  // A window had the number of an action, which says nothing about its place among the numbers of calls: the incident
  // it opens would cut calls off the timeline of the one before.
  `WITH begun AS MATERIALIZED (
     SELECT account_id, source_id, pending_id, nextval('journal_number') * 1024 AS number
     FROM source_state WHERE pending_due_at IS NOT NULL
   ),
   state AS (
     UPDATE source_state st SET pending_id = b.number
     FROM begun b WHERE st.account_id = b.account_id AND st.source_id = b.source_id
   )
   UPDATE call_log c SET pending_id = b.number
   FROM begun b WHERE c.account_id = b.account_id AND c.pending_id = b.pending_id`,
];

export const journal = [
  // Accepted calls that wait to be applied: one row for each group accepted together. A group is deleted as soon as it
  // is applied. No reader looks below the cursor, so deleted rows that cannot be vacuumed yet cost nothing.
  `CREATE TABLE journal (
     id bigint PRIMARY KEY,
     at timestamptz NOT NULL,
     calls json NOT NULL
   ) WITH (toast_tuple_target = 4080, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  // How far the journal is applied. One row, never updated: each transaction of the engine inserts a new one in its
  // place, and readers take the newest. folds: what is applied but not yet written to incidents and pending triggers.
  `CREATE TABLE journal_cursor (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     applied_to bigint NOT NULL,
     at timestamptz NOT NULL,
     folds json NOT NULL,
     folds_written_at timestamptz NOT NULL
   ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  `INSERT INTO journal_cursor (applied_to, at, folds, folds_written_at)
     VALUES ((SELECT last_value FROM journal_number), '-infinity', '{}', clock_timestamp())`,
  `CREATE VIEW waiting_group AS
     SELECT id, at, calls FROM journal
     WHERE id > (SELECT applied_to FROM journal_cursor ORDER BY id DESC LIMIT 1)`,
  'CREATE UNIQUE INDEX source_number ON source (seq)',
  'CREATE UNIQUE INDEX api_key_number ON api_key (seq)',
  'DROP INDEX account_seq',
  'CREATE UNIQUE INDEX account_number ON account (seq)',
  acceptGroup(),
];

/**
 * Accepts a group of calls that were judged from memory, those of each source as one unit: stores the units whose facts
 * still hold, and returns the places (from 1) of the others, of which it stores nothing.
 *
 * A unit differs if its account has another version than it was judged by, if something it was judged by has ended
 * since (`until`), or if its alarm is armed otherwise than assumed. Each statement of a function sees what was
 * committed before it began: these look after the lock is taken, so they see everything that comes before this group.
 *
 * The lock is released only once the commit is visible: whoever reads the journal in order misses nothing. The time of
 * a group is never earlier than that of the group before it, whatever the clock of a new primary says.
 */
function acceptGroup(): string {
  return `CREATE FUNCTION tocsin_accept_group(
     accounts text[], versions uuid[], owners int[], untils timestamptz[], sources bigint[], assumed text[], leads text[], calls json,
     OUT number bigint, OUT accepted_at timestamptz, OUT stale int[])
   LANGUAGE plpgsql AS $$
   DECLARE
     applied record;
     changed int[];
   BEGIN
     PERFORM pg_advisory_xact_lock(${LOCKS.accept});
     SELECT c.applied_to, c.at INTO applied FROM journal_cursor c ORDER BY c.id DESC LIMIT 1;
     accepted_at := greatest(tocsin_now(), applied.at,
       (SELECT j.at FROM journal j WHERE j.id > applied.applied_to ORDER BY j.id DESC LIMIT 1));
     changed := ARRAY(
       SELECT a.place FROM unnest(accounts, versions) WITH ORDINALITY AS a (account, version, place)
       LEFT JOIN account_version v ON v.account_id = a.account
       WHERE v.version IS DISTINCT FROM a.version);
     stale := ARRAY(
       SELECT u.place FROM unnest(owners, untils, sources, assumed)
         WITH ORDINALITY AS u (owner, until, source, armed, place)
       WHERE u.owner = ANY (changed) OR u.until <= accepted_at
         OR u.armed <> coalesce(
           (SELECT g.armed_mode FROM gate g WHERE g.source_seq = u.source ORDER BY g.id DESC LIMIT 1), 'disarmed'));
     IF cardinality(stale) = cardinality(sources) THEN RETURN; END IF;
     IF cardinality(stale) > 0 THEN
       calls := (SELECT json_agg(u.unit ORDER BY u.place) FROM json_array_elements(calls) WITH ORDINALITY AS u (unit, place)
         WHERE u.place <> ALL (stale));
     END IF;
     number := nextval('journal_number');
     INSERT INTO journal (id, at, calls) VALUES (number, accepted_at, calls);
     IF array_remove(leads, NULL) = '{}' THEN RETURN; END IF;
     WITH led AS (
       SELECT u.source, u.armed FROM unnest(sources, leads) WITH ORDINALITY AS u (source, armed, place)
       WHERE u.armed IS NOT NULL AND u.place <> ALL (stale)
     ), gone AS (
       DELETE FROM gate g USING (
         SELECT l.source, (SELECT o.id FROM gate o WHERE o.source_seq = l.source ORDER BY o.id DESC LIMIT 1) AS id
         FROM led l
       ) o WHERE g.source_seq = o.source AND g.id = o.id
     )
     INSERT INTO gate (source_seq, id, armed_mode) SELECT source, number, nullif(armed, 'disarmed') FROM led;
   END $$`;
}

export const gate = [
  // The armed mode after all accepted calls, applied or not: the newest row of an alarm; none: disarmed. Never updated,
  // so that the newest is found at once however many old ones wait to be vacuumed.
  `CREATE TABLE gate (
     source_seq bigint NOT NULL,
     id bigint NOT NULL,
     armed_mode text,
     PRIMARY KEY (source_seq, id)
   ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  `INSERT INTO gate (source_seq, id, armed_mode)
   SELECT s.seq, 0, CASE WHEN waiting.verb IS NULL THEN st.armed_mode ELSE waiting.mode END
   FROM source s JOIN source_state st ON st.account_id = s.account_id AND st.source_id = s.id
   LEFT JOIN LATERAL (
     SELECT a.verb, a.mode FROM action a
     WHERE a.account_id = s.account_id AND a.source_id = s.id AND a.verb IN ('arm', 'disarm') ORDER BY a.id DESC LIMIT 1
   ) waiting ON true
   WHERE s.kind = 'alarm'`,
];
