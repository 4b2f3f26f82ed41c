import { Migration } from '@mikro-orm/migrations';

/**
 * Since when nobody was reached by what an incident sent so far (DECISIONS.md "Nobody reached"); null if that is not
 * known.
 */
export class Unreached extends Migration {
  override name = '20261122-unreached';

  up(): void {
    this.addSql('ALTER TABLE incident ADD COLUMN unreached_at timestamptz');
  }
}
