import { type Connection, run, type Statement } from '../statement.ts';

/** The engine's tables, in which rows come and go. */
const ENGINE_TABLES = [
  'journal',
  'journal_cursor',
  'gate',
  'clock',
  'queued_action',
  'incident',
  'source_state',
  'delivery',
  'logged_call',
] as const;

const deadStatement: Statement<{ table: string; rows: number }> = {
  name: 'dead_rows',
  text: `
SELECT t.name AS "table", pg_stat_get_dead_tuples(to_regclass(t.name))::float8 AS rows FROM unnest($1::text[]) AS t (name)`,
};

/** Returns how many dead rows of each engine table wait to be vacuumed, by Postgres's count. */
export function readDeadRows(db: Connection): Promise<{ table: string; rows: number }[]> {
  return run(db, deadStatement, [ENGINE_TABLES]);
}

/**
 * Something that sees an old state of the database, so that nothing deleted since can be vacuumed. `name`: the process
 * id of a transaction, the name of a prepared one or of a slot, the application name of a standby.
 */
export interface SnapshotHolder {
  kind: 'transaction' | 'prepared_transaction' | 'standby' | 'replication_slot';
  name: string;
}

/** A holder that was found. */
export interface FoundHolder extends SnapshotHolder {
  /** How long it has been held, in seconds; null if Postgres does not report it. */
  heldS: number | null;
  /** What is held, where Postgres does not report the time. It advances if all is well. */
  xmin: string | null;
  /** What the database's clock says, milliseconds since 1970. */
  now: number;
}

const holdersStatement: Statement<FoundHolder> = {
  name: 'snapshot_holders',
  text: `
SELECT h.kind, h.name, h.xmin::text AS xmin, (extract(epoch FROM t.now - h.since))::float8 AS "heldS",
  (extract(epoch FROM t.now) * 1000)::float8 AS now
FROM (SELECT tocsin_wall() AS now) t
CROSS JOIN (
  -- A VACUUM does not hold up others, however long it takes.
  (SELECT 'transaction' AS kind, pid::text AS name, xact_start AS since, NULL::xid AS xmin FROM pg_stat_activity a
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type <> 'walsender'
      AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)
      AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.pid = a.pid)
    ORDER BY xact_start LIMIT 1)
  UNION ALL
  (SELECT 'prepared_transaction', gid, prepared, NULL FROM pg_prepared_xacts
    WHERE database = current_database() ORDER BY prepared LIMIT 1)
  UNION ALL
  SELECT 'standby', coalesce(nullif(application_name, ''), pid::text), NULL, backend_xmin FROM pg_stat_activity
    WHERE backend_type = 'walsender' AND backend_xmin IS NOT NULL
  UNION ALL
  SELECT 'replication_slot', slot_name::text, NULL, xmin FROM pg_replication_slots WHERE xmin IS NOT NULL
) h`,
};

/**
 * Returns what holds a snapshot of this database: the oldest transaction, and all others. Throws if a view is not
 * readable.
 */
export function readSnapshotHolders(db: Connection): Promise<FoundHolder[]> {
  return run(db, holdersStatement, []);
}
