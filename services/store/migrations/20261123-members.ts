import { Migration } from '@mikro-orm/migrations';

/**
 * The people with access to accounts, and how they sign in (DECISIONS.md "Members and roles", "Sign-in", "Sessions").
 */
export class Members extends Migration {
  override name = '20261123-members';

  up(): void {
    for (const statement of [...members, ...sessions, ...actors]) this.addSql(statement);
  }
}

const members = [
  // `email` is sealed; a person who signs in is found by its digest, in lower case and under the pepper.
  `CREATE TABLE member (
     account_id text NOT NULL REFERENCES account (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     version int NOT NULL DEFAULT 1,
     email text NOT NULL,
     email_digest bytea NOT NULL,
     name text NOT NULL,
     role text NOT NULL CHECK (role IN ('owner', 'editor', 'responder', 'viewer')),
     invited_at timestamptz NOT NULL DEFAULT tocsin_now(),
     last_seen_at timestamptz,
     PRIMARY KEY (account_id, id)
   )`,
  'CREATE UNIQUE INDEX member_email ON member (email_digest, account_id)',
];

/** None belongs to one account: a person may be a member of several, and the operator's token gives access to all. */
const sessions = [
  // Of a person (the digest of their email), or of a console token by its digest: replacing the operator's secret ends
  // it too.
  `CREATE TABLE console_session (
     id text PRIMARY KEY,
     digest bytea NOT NULL UNIQUE,
     person bytea,
     token_digest bytea,
     agent text NOT NULL,
     address text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     last_seen_at timestamptz NOT NULL DEFAULT tocsin_now(),
     expires_at timestamptz NOT NULL,
     CHECK ((person IS NULL) <> (token_digest IS NULL))
   )`,
  'CREATE INDEX console_session_person ON console_session (person)',
  'CREATE INDEX console_session_token ON console_session (token_digest)',
  'CREATE INDEX console_session_expires ON console_session (expires_at)',
  // One row for each person who was sent a code: the last code, null once it was used, and when codes were sent
  // recently.
  `CREATE TABLE sign_in_code (
     person bytea PRIMARY KEY,
     digest bytea,
     expires_at timestamptz NOT NULL DEFAULT tocsin_now(),
     guesses int NOT NULL DEFAULT 0,
     sent timestamptz[] NOT NULL DEFAULT '{}'
   )`,
  'CREATE INDEX sign_in_code_expires ON sign_in_code (expires_at)',
  `CREATE TABLE sign_in_link (
     digest bytea PRIMARY KEY,
     token_digest bytea NOT NULL,
     expires_at timestamptz NOT NULL
   )`,
  'CREATE INDEX sign_in_link_expires ON sign_in_link (expires_at)',
];

/** An actor may be a member now. Existing rows are not checked: none of them names one. */
const actors = [
  'ALTER TABLE audit DROP CONSTRAINT audit_actor_kind_check',
  `ALTER TABLE audit ADD COLUMN actor_member_id text, ADD CONSTRAINT audit_actor_kind_check
     CHECK (actor_kind IN ('operator', 'account', 'member', 'config_file', 'product')) NOT VALID`,
];
