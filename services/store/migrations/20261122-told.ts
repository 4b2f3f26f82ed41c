import { Migration } from '@mikro-orm/migrations';

/** Who got a text or a call about a source on a day: the first one always goes (DECISIONS.md "Spending ceiling"). */
export class Told extends Migration {
  override name = '20261122-told';

  up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // By day (UTC). Looked up for each text and call near a ceiling, which would otherwise search all deliveries of the
  // day.
  `CREATE TABLE source_told (
     account_id text NOT NULL REFERENCES account (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     day date NOT NULL,
     source_id text NOT NULL,
     contact_id text NOT NULL,
     channel text NOT NULL,
     PRIMARY KEY (account_id, day, source_id, contact_id, channel)
   )`,
  'CREATE INDEX source_told_day ON source_told (day)',
];
