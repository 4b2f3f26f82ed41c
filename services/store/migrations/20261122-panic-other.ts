import { Migration } from '@mikro-orm/migrations';

/** Panic buttons that ask for something else, in their owner's words (DECISIONS.md "Panic response"). */
export class PanicOther extends Migration {
  override name = '20261122-panic-other';

  up(): void {
    this.addSql('ALTER TABLE source DROP CONSTRAINT source_response_kind_check');
    this.addSql(
      "ALTER TABLE source ADD CONSTRAINT source_response_kind_check CHECK (response_kind IN ('medical', 'fire', 'intruder', 'duress', 'other'))",
    );
    this.addSql("ALTER TABLE source ADD COLUMN response_text text NOT NULL DEFAULT ''");
  }
}
