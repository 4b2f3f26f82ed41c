import { LOCKS } from '../lock.ts';

/*
 * One sequence of numbers for all calls: a group takes the next `journal_number`, and its calls get that number times
 * 1,024 plus their place in it. A call keeps its number from the journal to the log.
 */

const accepted = [
  'CREATE SEQUENCE journal_number AS bigint',
  "SELECT setval('journal_number', 1)",
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
     folds json NOT NULL
   ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  "INSERT INTO journal_cursor (applied_to, at, folds) VALUES (1, '-infinity', '{}')",
  `CREATE VIEW waiting_group AS
     SELECT id, at, calls FROM journal
     WHERE id > (SELECT applied_to FROM journal_cursor ORDER BY id DESC LIMIT 1)`,
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
 * How an alarm is armed is looked up only if something was accepted since it was known: `known` is the number that the last group
 * had by then, in the run of the server that began at `known_run`. Only a group changes it, and takes its number under the lock.
 *
 * The lock is released only once the commit is visible: whoever reads the journal in order misses nothing. The time of
 * a group is never earlier than that of the group before it, whatever the clock of a new primary says.
 */
function acceptGroup(): string {
  return `CREATE FUNCTION tocsin_accept_group(
     accounts text[], versions uuid[], owners int[], untils timestamptz[], sources bigint[], assumed text[], known bigint[], leads text[],
     calls json, known_run timestamptz, OUT number bigint, OUT accepted_at timestamptz, OUT stale int[], OUT run timestamptz)
   LANGUAGE plpgsql AS $$
   DECLARE
     applied record;
     changed int[];
     last bigint;
   BEGIN
     PERFORM pg_advisory_xact_lock(${LOCKS.accept});
     SELECT c.applied_to, c.at INTO applied FROM journal_cursor c ORDER BY c.id DESC LIMIT 1;
     accepted_at := greatest(tocsin_now(), applied.at,
       (SELECT j.at FROM journal j WHERE j.id > applied.applied_to ORDER BY j.id DESC LIMIT 1));
     changed := ARRAY(
       SELECT a.place FROM unnest(accounts, versions) WITH ORDINALITY AS a (account, version, place)
       LEFT JOIN account_version v ON v.account_id = a.account
       WHERE v.version IS DISTINCT FROM a.version);
     run := pg_postmaster_start_time();
     IF known_run = run THEN SELECT last_value INTO last FROM journal_number; END IF;
     stale := ARRAY(
       SELECT u.place FROM unnest(owners, untils) WITH ORDINALITY AS u (owner, until, place)
       WHERE u.owner = ANY (changed) OR u.until <= accepted_at);
     IF last IS NULL OR last <> ANY (known) THEN
       stale := stale || ARRAY(
         SELECT u.place::int FROM unnest(sources, assumed, known) WITH ORDINALITY AS u (source, armed, known, place)
         WHERE u.known IS DISTINCT FROM last AND u.place <> ALL (stale) AND u.armed <> coalesce(
           (SELECT g.armed_mode FROM gate g WHERE g.source_seq = u.source ORDER BY g.id DESC LIMIT 1), 'disarmed'));
     END IF;
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

const gate = [
  // The armed mode after all accepted calls, applied or not: the newest row of an alarm; none: disarmed. Never updated,
  // so that the newest is found at once however many old ones wait to be vacuumed.
  `CREATE TABLE gate (
     source_seq bigint NOT NULL,
     id bigint NOT NULL,
     armed_mode text,
     PRIMARY KEY (source_seq, id)
   ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
];

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
     parent_trace_id uuid,
     key_seq bigint,
     -- Of a trigger that we make ourselves, because nothing is heard of its key: since when.
     silent_since timestamptz,
     incident_id text,
     actor text,
     via text,
     contact_id text,
     detail text,
     accepted_at timestamptz NOT NULL,
     confirmed_at timestamptz,
     PRIMARY KEY (source_seq, id)
   ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  'CREATE INDEX queued_action_due ON queued_action (account_id, due_at)',
  // What people do to an incident, however many calls of its source wait here (store/statements/queue.ts).
  `CREATE INDEX queued_action_people ON queued_action (source_seq, id)
     WHERE actor IS NOT NULL AND verb IN ('acknowledge', 'close', 'next_step', 'note', 'hand_over', 'decline', 'call_off')`,
];

export const journal = [...accepted, ...gate, ...queue];
