import { Migration } from '@mikro-orm/migrations';

/**
 * Codes by who asks for them, so that no stranger uses up what a person needs to sign in, nor their code (DECISIONS.md
 * "Sign-in"). The version before keeps its own in `sign_in_code`, which the next one drops.
 */
export class SignInAskers extends Migration {
  override name = '20261123-sign-in-askers';

  up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // For one person: a browser, with its last code, null once it was used; a network; or all strangers together. `sent`:
  // when codes were sent that count for it.
  `CREATE TABLE sign_in_asker (
     person bytea NOT NULL,
     asker bytea NOT NULL,
     digest bytea,
     code_expires_at timestamptz NOT NULL DEFAULT tocsin_now(),
     guesses int NOT NULL DEFAULT 0,
     sent timestamptz[] NOT NULL DEFAULT '{}',
     signed_in_at timestamptz,
     expires_at timestamptz NOT NULL DEFAULT tocsin_now(),
     PRIMARY KEY (person, asker)
   )`,
  'CREATE INDEX sign_in_asker_expires ON sign_in_asker (expires_at)',
];
