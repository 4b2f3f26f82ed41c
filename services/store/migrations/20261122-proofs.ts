import { Migration } from '@mikro-orm/migrations';

/** Proofs of the secrets that the data were written with (database-checks.ts). */
export class Proofs extends Migration {
  override name = '20261122-proofs';

  up(): void {
    this.addSql(
      "CREATE TABLE secret_proof (name text PRIMARY KEY CHECK (name IN ('KEY_PEPPER', 'DATA_KEY')), proof text NOT NULL)",
    );
  }
}
