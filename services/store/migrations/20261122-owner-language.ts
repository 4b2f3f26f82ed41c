import { Migration } from '@mikro-orm/migrations';

/** The language and time zone in which the owner of an account is notified. */
export class OwnerLanguage extends Migration {
  override name = '20261122-owner-language';

  up(): void {
    this.addSql(`ALTER TABLE account ADD COLUMN owner_locale text NOT NULL DEFAULT 'en',
      ADD COLUMN owner_time_zone text NOT NULL DEFAULT 'UTC'`);
  }
}
