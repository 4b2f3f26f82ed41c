/** What owners configure: locked from here on, because the triggers on it would miss changes made meanwhile. */
const CONFIGURED = ['location', 'source', 'mode', 'api_key', 'api_key_secret'];

/**
 * What the version before accepts into, applies from, sends from and logs to: locked from here on, including for the
 * migrations that follow in this transaction. In the order in which its engine and its lanes lock them, so that a
 * transaction of theirs already begun finds the rest free, and ends.
 */
const MOVING = ['source_state', 'action', 'delivery', 'notice', 'incident', 'account', 'call_log'];

/** Less than Postgres's deadlock timeout (1 s), and than an accept of the version before may take (1.2 s). */
const TRY_MS = 700;

/** Longer than a process of the version before can leave a transaction open: 5 s for a statement and 10 s idle. */
const PATIENCE_S = 20;

/**
 * Waits until nobody is at work on these tables and nobody can begin: what waits is read below only once it is
 * complete, or a call accepted meanwhile would be dropped with its table.
 *
 * Locks all tables or none, and waits only for a moment at a time. Other transactions of the version before lock them
 * in other orders: holding one while waiting for another could end in a deadlock, and everybody else queues up behind a
 * waiting lock.
 */
export const exclusion = [
  `DO $$
   DECLARE
     began timestamptz := clock_timestamp();
     holders text;
   BEGIN
     SET LOCAL lock_timeout = '${TRY_MS}ms';
     LOOP
       BEGIN
         LOCK TABLE ${CONFIGURED.join(', ')} IN SHARE ROW EXCLUSIVE MODE;
         LOCK TABLE ${MOVING.join(', ')} IN ACCESS EXCLUSIVE MODE;
         EXIT;
       EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
         IF clock_timestamp() - began > interval '${PATIENCE_S} s' THEN
           SELECT string_agg(DISTINCT l.pid::text, ', ') INTO holders FROM pg_locks l
           WHERE l.granted AND l.pid <> pg_backend_pid()
             AND l.relation = ANY ('{${[...CONFIGURED, ...MOVING].join(', ')}}'::regclass[])
             AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database());
           RAISE EXCEPTION 'The upgrade has waited ${PATIENCE_S} s for tables that other sessions hold (process ids %).', holders
             USING ERRCODE = 'lock_not_available', HINT = 'Stop the version before and whatever else is connected.';
         END IF;
       END;
       PERFORM pg_sleep(0.1);
     END LOOP;
     SET LOCAL lock_timeout = 0;
   END $$`,
];
