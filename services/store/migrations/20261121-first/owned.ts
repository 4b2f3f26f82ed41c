/**
 * What owners configure, and the keys that give access to it. The foreign keys are checked at commit: the mapper writes
 * in any order.
 */
export const owned = [
  `CREATE TABLE account (
     id text PRIMARY KEY,
     name text NOT NULL,
     plan text NOT NULL CHECK (plan IN ('free', 'paid')),
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     version int NOT NULL DEFAULT 1
   )`,
  `CREATE TABLE location (
     account_id text NOT NULL REFERENCES account (id) DEFERRABLE INITIALLY DEFERRED,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     name text NOT NULL,
     address text NOT NULL DEFAULT '',
     test boolean NOT NULL DEFAULT false,
     version int NOT NULL DEFAULT 1,
     PRIMARY KEY (account_id, id)
   )`,
  `CREATE TABLE policy (
     account_id text NOT NULL REFERENCES account (id) DEFERRABLE INITIALLY DEFERRED,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     name text NOT NULL,
     steps jsonb NOT NULL,
     repeat int NOT NULL DEFAULT 0 CHECK (repeat BETWEEN 0 AND 5),
     repeat_delay_s int NOT NULL DEFAULT 300 CHECK (repeat_delay_s BETWEEN 60 AND 86400),
     version int NOT NULL DEFAULT 1,
     PRIMARY KEY (account_id, id)
   )`,
  `CREATE TABLE source (
     account_id text NOT NULL REFERENCES account (id) DEFERRABLE INITIALLY DEFERRED,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     kind text NOT NULL CHECK (kind IN ('alarm', 'panic')),
     location_id text NOT NULL,
     name text NOT NULL,
     test boolean NOT NULL DEFAULT true,
     disabled boolean NOT NULL DEFAULT false,
     deactivated boolean NOT NULL DEFAULT false,
     only_when_armed boolean NOT NULL DEFAULT false,
     clear_on_disarm boolean NOT NULL DEFAULT false,
     response_kind text CHECK (response_kind IN ('medical', 'fire', 'intruder', 'duress')),
     policy_id text,
     version int NOT NULL DEFAULT 1,
     PRIMARY KEY (account_id, id),
     FOREIGN KEY (account_id, location_id) REFERENCES location (account_id, id) DEFERRABLE INITIALLY DEFERRED,
     FOREIGN KEY (account_id, policy_id) REFERENCES policy (account_id, id) DEFERRABLE INITIALLY DEFERRED,
     CHECK ((kind = 'panic') = (response_kind IS NOT NULL)),
     CHECK (kind = 'panic' OR policy_id IS NULL)
   )`,
  'CREATE INDEX source_location ON source (account_id, location_id)',
  `CREATE TABLE mode (
     account_id text NOT NULL,
     source_id text NOT NULL,
     id text NOT NULL CHECK (id IN ('home', 'away', 'night', 'vacation')),
     name text NOT NULL,
     policy_id text,
     window_s int NOT NULL DEFAULT 0 CHECK (window_s BETWEEN 0 AND 120),
     PRIMARY KEY (account_id, source_id, id),
     FOREIGN KEY (account_id, source_id) REFERENCES source (account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     FOREIGN KEY (account_id, policy_id) REFERENCES policy (account_id, id) DEFERRABLE INITIALLY DEFERRED
   )`,
  `CREATE TABLE contact (
     account_id text NOT NULL REFERENCES account (id) DEFERRABLE INITIALLY DEFERRED,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     name text NOT NULL,
     locale text NOT NULL DEFAULT 'en',
     time_zone text NOT NULL DEFAULT 'UTC',
     version int NOT NULL DEFAULT 1,
     PRIMARY KEY (account_id, id)
   )`,
  `CREATE TABLE contact_channel (
     account_id text NOT NULL,
     contact_id text NOT NULL,
     channel text NOT NULL CHECK (channel IN ('text', 'call', 'email', 'push', 'webhook')),
     position int NOT NULL,
     address text NOT NULL,
     verified_at timestamptz,
     disabled_reason text,
     last_delivered_at timestamptz,
     PRIMARY KEY (account_id, contact_id, channel),
     FOREIGN KEY (account_id, contact_id) REFERENCES contact (account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   )`,
];

/** API keys, their secrets, and console tokens. */
export const keys = [
  `CREATE TABLE api_key (
     account_id text NOT NULL REFERENCES account (id) DEFERRABLE INITIALLY DEFERRED,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     label text NOT NULL,
     alarm_id text,
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     expires_at timestamptz,
     revoked_at timestamptz,
     last_used_at timestamptz,
     last_used_address text,
     last_used_agent text,
     PRIMARY KEY (account_id, id),
     FOREIGN KEY (account_id, alarm_id) REFERENCES source (account_id, id) DEFERRABLE INITIALLY DEFERRED
   )`,
  // A key has several secrets while it is being rotated. The digest alone names the account, so it is the primary key
  // here.
  `CREATE TABLE api_key_secret (
     digest bytea PRIMARY KEY,
     account_id text NOT NULL,
     key_id text NOT NULL,
     last4 text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     ends_at timestamptz,
     FOREIGN KEY (account_id, key_id) REFERENCES api_key (account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   )`,
  // account_id is null for the operator's token, which names the account in each call.
  `CREATE TABLE console_token (
     id text PRIMARY KEY,
     account_id text REFERENCES account (id) DEFERRABLE INITIALLY DEFERRED,
     digest bytea NOT NULL UNIQUE,
     label text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     revoked_at timestamptz
   )`,
  'CREATE TABLE unshown (id text PRIMARY KEY, sealed text NOT NULL)',
];
