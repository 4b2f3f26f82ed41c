import { Migration } from '@mikro-orm/migrations';

/** In whose place a message goes, where its step does not name it (DECISIONS.md "Would it reach"). */
export class Instead extends Migration {
  override name = '20261125-instead';

  up(): void {
    // The version before writes none: its rows say nothing of whose place they take.
    this.addSql('ALTER TABLE delivery ADD COLUMN instead_of text');
  }
}
