import { Migration } from '@mikro-orm/migrations';

/** What a console token is, when it expires, and its place in a list (DECISIONS.md "Console tokens"). */
export class Tokens extends Migration {
  override name = '20261122-tokens';

  up(): void {
    for (const statement of [...kinds, ...places]) this.addSql(statement);
  }
}

const kinds = [
  'ALTER TABLE console_token ADD COLUMN expires_at timestamptz',
  // Derived from the account, so that a version that knows no kinds writes the right one.
  `ALTER TABLE console_token ADD COLUMN kind text NOT NULL
     GENERATED ALWAYS AS (CASE WHEN account_id IS NULL THEN 'operator' ELSE 'account' END) STORED`,
];

/** Existing tokens get places in the order in which they were created. */
const places = [
  'ALTER TABLE console_token ADD COLUMN seq bigint',
  `UPDATE console_token t SET seq = o.seq
   FROM (SELECT id, row_number() OVER (ORDER BY created_at, id) AS seq FROM console_token) o WHERE o.id = t.id`,
  'ALTER TABLE console_token ALTER COLUMN seq SET NOT NULL, ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY',
  `SELECT setval(pg_get_serial_sequence('console_token', 'seq'), (SELECT count(*) FROM console_token) + 1, false)`,
  'CREATE INDEX console_token_seq ON console_token (account_id, seq)',
  'DROP INDEX console_token_account',
];
