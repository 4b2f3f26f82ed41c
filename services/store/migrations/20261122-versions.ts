import { Migration } from '@mikro-orm/migrations';

/** What keeps looks short while a snapshot is held open and while tables are young (services/docs/ENGINE.md 3). */
export class Versions extends Migration {
  override name = '20261122-versions';

  up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // Each fold now says itself when it is to be written. Databases of one tree had all of this from 20261122-journal;
  // nothing changes there.
  'ALTER TABLE journal_cursor DROP COLUMN IF EXISTS folds_written_at',
  // Each update raises the version, so that the newest is found at once (statements/apply.ts).
  'CREATE SEQUENCE IF NOT EXISTS source_state_version AS bigint',
  'ALTER TABLE source_state ADD COLUMN IF NOT EXISTS version bigint NOT NULL DEFAULT 0',
  // With the version in the key, a new row is not compared with the old ones of its source while a snapshot keeps
  // those. Whoever inserts makes sure that each source has one row: with the source, under the account's lock.
  'ALTER TABLE source_state DROP CONSTRAINT source_state_pkey, ADD PRIMARY KEY (account_id, source_id, version)',
  // On both ids together, so that a query for the newest does not use the primary key and walk all of them.
  'CREATE INDEX IF NOT EXISTS source_state_newest ON source_state ((account_id || source_id), version)',
  // The second condition always holds. A query for the open incident of a source does not contain it: on a table that
  // has just begun to grow, Postgres would walk this index, and so all open incidents, for each source.
  'DROP INDEX incident_auto_close',
  `CREATE INDEX incident_auto_close ON incident (auto_close_at) WHERE status = 'open' AND auto_close_at < 'infinity'`,
  // Again, for databases of a tree in which 20261122-reached did not set it.
  'ALTER TABLE delivery ALTER COLUMN planned_at SET DEFAULT tocsin_now()',
];
