import { Migration } from '@mikro-orm/migrations';

/** How the scheduled backups go, in one row (DECISIONS.md "Scheduled backups"). */
export class Backups extends Migration {
  override name = '20261123-backups';

  up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // `label` is part of the names of the files. `tries` counts attempts, so that of several processes one makes each.
  `CREATE TABLE backup_state (
     one boolean PRIMARY KEY DEFAULT true CHECK (one),
     label text NOT NULL,
     tries bigint NOT NULL DEFAULT 0,
     tried_at timestamptz,
     failure text,
     made_at timestamptz,
     file text,
     machine text,
     bytes bigint,
     row_count bigint,
     seconds double precision
   )`,
  "INSERT INTO backup_state (label) VALUES (substr(replace(gen_random_uuid()::text, '-', ''), 1, 8))",
];
