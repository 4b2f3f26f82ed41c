import { Migration } from '@mikro-orm/migrations';

/** What removing old rows needs: an index on the notices of an incident, and indexes vacuumed of what is gone. */
export class Retention extends Migration {
  override name = '20261122-retention';

  up(): void {
    // Those about no incident stand together, oldest first.
    this.addSql('CREATE INDEX notice_incident ON notice (account_id, incident_id, seq)');
    // The oldest call of a source is looked up all the time: not behind a fifth of the log that is deleted already.
    this.addSql('ALTER TABLE logged_call SET (autovacuum_vacuum_scale_factor = 0.02)');
  }
}
