import { Migration } from '@mikro-orm/migrations';

/**
 * The ceiling of what texts and calls may cost, what each source has used of it, and who writes to unverified
 * addresses.
 */
export class Spending extends Migration {
  override name = '20261122-spending';

  up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // There may be years of rows: until now none was ever removed.
  'SET LOCAL statement_timeout = 0',
  // DECISIONS.md "Spending ceiling": five times what the largest incident may cost, 500 calls.
  'ALTER TABLE account ADD COLUMN daily_spend_ceiling_cents int NOT NULL DEFAULT 25000',
  // The estimated cost of texts and calls about a source on a day (UTC) (domain/spend.ts).
  `CREATE TABLE source_spend (
     account_id text NOT NULL REFERENCES account (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     source_id text NOT NULL,
     day date NOT NULL,
     cents int NOT NULL,
     PRIMARY KEY (account_id, day, source_id)
   )`,
  // Over all accounts, so no account owns it: the accounts whose drills and codes went to an unverified address on a
  // day (UTC), one entry for each message (domain/verification.ts).
  `CREATE TABLE unverified_sent (
     day date NOT NULL,
     address_digest bytea NOT NULL,
     accounts text[] NOT NULL,
     PRIMARY KEY (day, address_digest)
   )`,
  // Old rows are removed by their day, over all accounts.
  'CREATE INDEX spend_day ON spend (day)',
  'CREATE INDEX source_spend_day ON source_spend (day)',
];
