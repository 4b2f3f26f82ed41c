import { Migration } from '@mikro-orm/migrations';

/** One row of the log may stand for several refused calls (DECISIONS.md "Limited and shed calls"). */
export class LimitedCalls extends Migration {
  override name = '20261125-limited-calls';

  up(): void {
    this.addSql('ALTER TABLE logged_call ADD COLUMN times int NOT NULL DEFAULT 1 CHECK (times > 0)');
    this.addSql(`CREATE OR REPLACE VIEW call_log AS
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
     c.times
   FROM logged_call c
   JOIN account a ON a.seq = c.account_seq
   LEFT JOIN window_end w ON w.pending_id = c.pending_id AND c.verb = 'trigger'
   LEFT JOIN incident i ON i.seq = coalesce(w.incident_seq, c.incident_seq)
   LEFT JOIN source s ON s.seq = c.source_seq
   LEFT JOIN api_key k ON k.seq = c.key_seq`);
  }
}
