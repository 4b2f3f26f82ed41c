import { Migration } from '@mikro-orm/migrations';

/** What the watchman saw last (engine/watch/watchman.ts), for all processes to tell. */
export class Watch extends Migration {
  override name = '20261126-watch';

  up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // One row: each look takes the place after the last one, so that of two processes one looks.
  `CREATE TABLE watch (
     id bigint PRIMARY KEY,
     at timestamptz NOT NULL,
     seen_at timestamptz,
     faults text[] NOT NULL DEFAULT '{}',
     beat_ms float8,
     dry_life_ms float8
   ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
];
