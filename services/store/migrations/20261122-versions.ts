import { Migration } from '@mikro-orm/migrations';

/** What keeps looks short while a snapshot is held open and while tables are young (services/docs/ENGINE.md 3). */
export class Versions extends Migration {
  override name = '20261122-versions';

  up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // Each fold says by itself when it is to be written. Databases of one tree had all of this from 20261122-journal; there
  // nothing changes.
  'ALTER TABLE journal_cursor DROP COLUMN IF EXISTS folds_written_at',
  // Each update makes a version higher than those before, so that the newest is found at once (statements/apply.ts).
  'CREATE SEQUENCE IF NOT EXISTS source_state_version AS bigint',
  'ALTER TABLE source_state ADD COLUMN IF NOT EXISTS version bigint NOT NULL DEFAULT 0',
  // With the version in the key, none is compared with the old ones of its source while a snapshot keeps those. That there is
  // one row of each source is up to who inserts: with the source, under the account's lock.
  'ALTER TABLE source_state DROP CONSTRAINT source_state_pkey, ADD PRIMARY KEY (account_id, source_id, version)',
  // On both ids together, so that nobody who asks for the newest is led to the primary key, and from there through all of them.
  'CREATE INDEX IF NOT EXISTS source_state_newest ON source_state ((account_id || source_id), version)',
  // The second condition always holds. Who looks for the open incident of a source does not say it: on a table that has just
  // begun to grow, Postgres would walk this index, and so all open incidents, for each source.
  'DROP INDEX incident_auto_close',
  `CREATE INDEX incident_auto_close ON incident (auto_close_at) WHERE status = 'open' AND auto_close_at < 'infinity'`,
  // Once more, for databases of a tree in which 20261122-reached did not say it.
  'ALTER TABLE delivery ALTER COLUMN planned_at SET DEFAULT tocsin_now()',
];
