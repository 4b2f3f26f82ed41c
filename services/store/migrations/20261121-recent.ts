import { Migration } from '@mikro-orm/migrations';

/**
 * What changed a moment ago, over all accounts, for services that start (changes/catch-up.ts). These tables grow at
 * their end, in the order of time: a BRIN index finds that end and costs writers next to nothing.
 */
export class Recent extends Migration {
  override name = '20261121-recent';

  up(): void {
    this.addSql('CREATE INDEX call_log_recent ON call_log USING brin (applied_at) WITH (autosummarize = on)');
    this.addSql('CREATE INDEX incident_entry_recent ON incident_entry USING brin (at) WITH (autosummarize = on)');
    this.addSql('CREATE INDEX audit_recent ON audit USING brin (at) WITH (autosummarize = on)');
  }
}
