import { Migration } from '@mikro-orm/migrations';

/** Calls that the database lost and that were stored again, and servers that took over (DECISIONS.md "The database went back"). */
export class WentBack extends Migration {
  override name = '20261125-went-back';

  up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  'SET LOCAL statement_timeout = 0',
  'ALTER TABLE logged_call ADD COLUMN confirmed_at timestamptz',
  'ALTER TABLE queued_action ADD COLUMN confirmed_at timestamptz',
  // The timelines of Postgres that this database was seen on: a promoted server begins one. at: when it was noticed, null of
  // the first. known_until: the last time that the server which took over had of the one before.
  `CREATE TABLE takeover (
     timeline int PRIMARY KEY,
     at timestamptz,
     known_until timestamptz,
     stored_again int NOT NULL DEFAULT 0,
     not_stored int NOT NULL DEFAULT 0
   )`,
  `CREATE OR REPLACE VIEW call_log AS
   SELECT a.id AS account_id, c.id, c.trace_id, c.at, k.id AS key_id, c.actor, c.verb,
     coalesce(s.id, c.asked_id, '') AS source_id, c.mode, c.environment,
     CASE
       WHEN w.pending_id IS NULL THEN c.outcome
       WHEN w.incident_seq IS NULL THEN 'cancelled'
       WHEN w.trace_id = c.trace_id THEN 'opened'
       ELSE 'folded'
     END AS outcome,
     c.applied_at, i.id AS incident_id, c.pending_id, c.account_seq, c.source_seq, c.key_seq, i.seq AS incident_seq,
     s.name AS source_name, s.kind AS source_kind, i.environment AS incident_environment, i.outcome AS incident_outcome,
     c.times, c.confirmed_at
   FROM logged_call c
   JOIN account a ON a.seq = c.account_seq
   LEFT JOIN window_end w ON w.pending_id = c.pending_id AND c.verb = 'trigger'
   LEFT JOIN incident i ON i.seq = coalesce(w.incident_seq, c.incident_seq)
   LEFT JOIN source s ON s.seq = c.source_seq
   LEFT JOIN api_key k ON k.seq = c.key_seq`,
];
