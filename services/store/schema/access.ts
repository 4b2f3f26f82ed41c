/** API keys of machines, and console tokens. */
const keys = [
  `CREATE TABLE api_key (
     account_id text NOT NULL,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     key text NOT NULL,
     label text NOT NULL,
     alarm_id text,
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     expires_at timestamptz,
     revoked_at timestamptz,
     last_used_at timestamptz,
     last_used_address text,
     last_used_agent text,
     version int NOT NULL DEFAULT 1,
     PRIMARY KEY (account_id, id),
     FOREIGN KEY (account_id, alarm_id) REFERENCES source (account_id, id) DEFERRABLE INITIALLY DEFERRED
   )`,
  'CREATE UNIQUE INDEX api_key_number ON api_key (seq)',
  'CREATE UNIQUE INDEX api_key_key ON api_key (account_id, key)',
  'CREATE INDEX api_key_seq ON api_key (account_id, seq)',
  'CREATE INDEX api_key_alarm ON api_key (account_id, alarm_id) WHERE alarm_id IS NOT NULL',
  // A key has several secrets while it is being rotated. The digest alone names the account, so it is the primary key
  // here. `pepper`: which one the digest was made under.
  `CREATE TABLE api_key_secret (
     digest bytea PRIMARY KEY,
     account_id text NOT NULL,
     key_id text NOT NULL,
     last4 text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     ends_at timestamptz,
     pepper text NOT NULL,
     FOREIGN KEY (account_id, key_id) REFERENCES api_key (account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   )`,
  'CREATE INDEX api_key_secret_key ON api_key_secret (account_id, key_id)',
  // account_id is null for the operator's token, which names the account in each call.
  `CREATE TABLE console_token (
     id text PRIMARY KEY,
     account_id text REFERENCES account (id) DEFERRABLE INITIALLY DEFERRED,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     kind text NOT NULL GENERATED ALWAYS AS (CASE WHEN account_id IS NULL THEN 'operator' ELSE 'account' END) STORED,
     digest bytea NOT NULL UNIQUE,
     pepper text NOT NULL,
     label text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     expires_at timestamptz,
     revoked_at timestamptz
   )`,
  'CREATE INDEX console_token_seq ON console_token (account_id, seq)',
  // Secrets that the first start made and nobody was shown yet.
  'CREATE TABLE unshown (id text PRIMARY KEY, sealed text NOT NULL)',
];

/** The people with access to accounts (DECISIONS.md "Members and roles"). */
const members = [
  // `email` is sealed; a person who signs in is found by its digest, in lower case and under the pepper. Whoever signed
  // in by a code to their address has shown that it is theirs; all other owners are asked once (`asked_at`).
  `CREATE TABLE member (
     account_id text NOT NULL REFERENCES account (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     email text NOT NULL,
     email_digest bytea NOT NULL,
     name text NOT NULL,
     role text NOT NULL CHECK (role IN ('owner', 'editor', 'responder', 'viewer')),
     invited_at timestamptz NOT NULL DEFAULT tocsin_now(),
     asked_at timestamptz,
     confirmed_at timestamptz,
     last_seen_at timestamptz,
     version int NOT NULL DEFAULT 1,
     PRIMARY KEY (account_id, id)
   )`,
  'CREATE UNIQUE INDEX member_email ON member (email_digest, account_id)',
  "CREATE INDEX member_unconfirmed ON member (seq) WHERE confirmed_at IS NULL AND role = 'owner'",
];

/**
 * How people sign in (DECISIONS.md "Sign-in", "Sessions"). None of it belongs to one account: a person may be a member
 * of several, and the operator's token gives access to all.
 */
const signIn = [
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
  // Codes by who asks for them, so that no stranger uses up what a person needs to sign in, nor their code. For one
  // person: a browser, with its last code, null once it was used; a network; or all strangers together. `sent`: when
  // codes were sent that count for it.
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
  // A link signs in as a token, or confirms the address of a member.
  `CREATE TABLE sign_in_link (
     digest bytea PRIMARY KEY,
     token_digest bytea,
     account_id text,
     member_id text,
     expires_at timestamptz NOT NULL,
     FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     CHECK ((token_digest IS NULL) = (member_id IS NOT NULL))
   )`,
  'CREATE INDEX sign_in_link_expires ON sign_in_link (expires_at)',
  'CREATE INDEX sign_in_link_member ON sign_in_link (account_id, member_id) WHERE member_id IS NOT NULL',
];

/** The secrets of the deployment: none of them is stored. */
const secrets = [
  // Proofs of the secrets that the data were written with (database-checks.ts).
  `CREATE TABLE secret_proof (name text PRIMARY KEY CHECK (name IN ('KEY_PEPPER', 'DATA_KEY')), proof text NOT NULL)`,
  // How far the move to another one is (DECISIONS.md "Changing DATA_KEY and KEY_PEPPER"). `key_id` names that one.
  `CREATE TABLE rotation (
     what text PRIMARY KEY CHECK (what IN ('DATA_KEY', 'KEY_PEPPER')),
     key_id text NOT NULL,
     moved bigint NOT NULL DEFAULT 0,
     done_at timestamptz
   )`,
];

export const access = [...keys, ...members, ...signIn, ...secrets];
