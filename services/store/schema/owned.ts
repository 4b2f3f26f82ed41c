import { ofOwner } from './of-owner.ts';

/** What owners configure. */
const tables = [
  `CREATE TABLE account (
     id text PRIMARY KEY,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     name text NOT NULL,
     plan text NOT NULL CHECK (plan IN ('free', 'paid')),
     purpose text NOT NULL DEFAULT 'use' CHECK (purpose IN ('use', 'demo')),
     -- Sealed, like the addresses of contacts.
     owner_email text,
     owner_locale text NOT NULL DEFAULT 'en',
     owner_time_zone text NOT NULL DEFAULT 'UTC',
     still_happening_s int NOT NULL DEFAULT 0 CHECK (still_happening_s BETWEEN 0 AND 86400),
     daily_spend_cap_cents int NOT NULL DEFAULT 1000,
     -- DECISIONS.md "Spending ceiling": five times what the largest incident may cost, 500 calls.
     daily_spend_ceiling_cents int NOT NULL DEFAULT 25000,
     -- When the plan last switched sources off and on since the first days ended; null: not yet. They end by themselves.
     limits_checked_at timestamptz,
     drills text NOT NULL DEFAULT 'off' CHECK (drills IN ('off', 'monthly')),
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     version int NOT NULL DEFAULT 1
   )`,
  'CREATE UNIQUE INDEX account_number ON account (seq)',
  "CREATE INDEX account_drills ON account (seq) WHERE drills <> 'off'",
  "CREATE INDEX account_first_days ON account (created_at) WHERE plan = 'free' AND limits_checked_at IS NULL",

  // Locations, sources and API keys outlive their account until they are erased, so no foreign key leads to it. They
  // are never removed before: calls accepted a moment ago and incidents of years ago still refer to them. A deleted one
  // is disabled, so that nothing fires, and its key is free again.
  `CREATE TABLE location (
     account_id text NOT NULL,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     key text NOT NULL,
     name text NOT NULL,
     address text NOT NULL DEFAULT '',
     emergency_number text NOT NULL DEFAULT '',
     test boolean NOT NULL DEFAULT false,
     -- When the test ends by itself; null: when its owner lets it go live. And for which end owners were told that it is near.
     test_until timestamptz,
     test_told_for timestamptz,
     deleted_at timestamptz,
     version int NOT NULL DEFAULT 1,
     PRIMARY KEY (account_id, id)
   )`,
  'CREATE UNIQUE INDEX location_key ON location (account_id, key) WHERE deleted_at IS NULL',
  'CREATE INDEX location_test_until ON location (test_until) WHERE test_until IS NOT NULL AND deleted_at IS NULL',
  'CREATE INDEX location_seq ON location (account_id, seq) WHERE deleted_at IS NULL',

  `CREATE TABLE policy (
     account_id text NOT NULL REFERENCES account (id) DEFERRABLE INITIALLY DEFERRED,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     key text NOT NULL,
     name text NOT NULL,
     steps jsonb NOT NULL,
     repeat int NOT NULL DEFAULT 0 CHECK (repeat BETWEEN 0 AND 5),
     repeat_delay_s int NOT NULL DEFAULT 300 CHECK (repeat_delay_s BETWEEN 60 AND 86400),
     ask_again_after_s int NOT NULL DEFAULT 0 CHECK (ask_again_after_s = 0 OR ask_again_after_s BETWEEN 300 AND 86400),
     version int NOT NULL DEFAULT 1,
     PRIMARY KEY (account_id, id)
   )`,
  'CREATE UNIQUE INDEX policy_key ON policy (account_id, key)',
  'CREATE INDEX policy_seq ON policy (account_id, seq)',

  // Alarms and panic buttons.
  `CREATE TABLE source (
     account_id text NOT NULL,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     kind text NOT NULL CHECK (kind IN ('alarm', 'panic_button')),
     key text NOT NULL,
     location_id text NOT NULL,
     name text NOT NULL,
     test boolean NOT NULL DEFAULT true,
     test_until timestamptz,
     test_told_for timestamptz,
     disabled boolean NOT NULL DEFAULT false,
     deactivated boolean NOT NULL DEFAULT false,
     only_when_armed boolean NOT NULL DEFAULT false,
     clear_on_disarm boolean NOT NULL DEFAULT false,
     response_kind text CHECK (response_kind IN ('medical', 'fire', 'intruder', 'duress', 'other')),
     -- What \`other\` asks for, in its owner's words (DECISIONS.md "Panic response").
     response_text text NOT NULL DEFAULT '',
     policy_id text,
     deleted_at timestamptz,
     version int NOT NULL DEFAULT 1,
     PRIMARY KEY (account_id, id),
     FOREIGN KEY (account_id, location_id) REFERENCES location (account_id, id) DEFERRABLE INITIALLY DEFERRED,
     FOREIGN KEY (account_id, policy_id) REFERENCES policy (account_id, id) DEFERRABLE INITIALLY DEFERRED,
     CONSTRAINT source_response_check CHECK ((kind = 'panic_button') = (response_kind IS NOT NULL)),
     CONSTRAINT source_policy_check CHECK (kind = 'panic_button' OR policy_id IS NULL),
     CONSTRAINT source_deleted_check CHECK (deleted_at IS NULL OR disabled)
   )`,
  'CREATE UNIQUE INDEX source_number ON source (seq)',
  'CREATE UNIQUE INDEX source_key ON source (account_id, kind, key) WHERE deleted_at IS NULL',
  'CREATE INDEX source_test_until ON source (test_until) WHERE test_until IS NOT NULL AND deleted_at IS NULL',
  'CREATE INDEX source_seq ON source (account_id, kind, seq) WHERE deleted_at IS NULL',
  'CREATE INDEX source_location ON source (account_id, location_id)',
  'CREATE INDEX source_policy ON source (account_id, policy_id) WHERE policy_id IS NOT NULL',

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
  'CREATE INDEX mode_policy ON mode (account_id, policy_id) WHERE policy_id IS NOT NULL',

  `CREATE TABLE contact (
     account_id text NOT NULL REFERENCES account (id) DEFERRABLE INITIALLY DEFERRED,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     key text NOT NULL,
     name text NOT NULL,
     locale text NOT NULL DEFAULT 'en',
     time_zone text NOT NULL DEFAULT 'UTC',
     voice text NOT NULL DEFAULT '',
     show_number boolean NOT NULL DEFAULT false,
     version int NOT NULL DEFAULT 1,
     PRIMARY KEY (account_id, id)
   )`,
  'CREATE UNIQUE INDEX contact_key ON contact (account_id, key)',
  'CREATE INDEX contact_seq ON contact (account_id, seq)',
  `CREATE TABLE contact_channel (
     account_id text NOT NULL,
     contact_id text NOT NULL,
     channel text NOT NULL CHECK (channel IN ('text', 'call', 'email', 'push', 'chat', 'webhook')),
     -- Which of the channel's addresses it is: it keeps its slot while it is there, wherever it stands in the order.
     slot smallint NOT NULL DEFAULT 0 CHECK (slot BETWEEN 0 AND 3),
     position int NOT NULL,
     address text NOT NULL,
     -- What the address begins with, where that says which carrier it belongs to (pushover:). Empty: to none.
     via text NOT NULL DEFAULT '',
     verified_at timestamptz,
     -- When a link connected it (chat_link); null: it was typed.
     connected_at timestamptz,
     disabled_reason text,
     last_delivered_at timestamptz,
     -- When the person last answered over this address, and in which incident (DECISIONS.md "Proof of reach").
     proven_at timestamptz,
     proven_in text,
     -- Whether it rang aloud then, as they said; null: not asked, or not said.
     ring text CHECK (ring IN ('aloud', 'silent')),
     PRIMARY KEY (account_id, contact_id, channel, slot),
     FOREIGN KEY (account_id, contact_id) REFERENCES contact (account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   )`,
  // One code at a time for each channel: whoever enters it need not say for which of its addresses.
  `CREATE TABLE verification (
     account_id text NOT NULL,
     contact_id text NOT NULL,
     channel text NOT NULL,
     slot smallint NOT NULL DEFAULT 0,
     digest bytea NOT NULL,
     expires_at timestamptz NOT NULL,
     guesses int NOT NULL DEFAULT 0,
     PRIMARY KEY (account_id, contact_id, channel),
     FOREIGN KEY (account_id, contact_id, channel, slot)
       REFERENCES contact_channel (account_id, contact_id, channel, slot) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   )`,
  // The link with which a contact's chat is connected: the last one made. Its code is not stored.
  `CREATE TABLE chat_link (
     account_id text NOT NULL,
     contact_id text NOT NULL,
     digest bytea NOT NULL,
     expires_at timestamptz NOT NULL,
     taken_at timestamptz,
     PRIMARY KEY (account_id, contact_id),
     FOREIGN KEY (account_id, contact_id) REFERENCES contact (account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   )`,
  // Whoever opens it names no account.
  'CREATE UNIQUE INDEX chat_link_digest ON chat_link (digest)',
  // The browsers that ring for a contact who has web:devices among their addresses of push: without it they are gone. `subscription` is sealed,
  // like addresses; the digest of its endpoint keeps a browser from standing here twice.
  `CREATE TABLE web_push_device (
     account_id text NOT NULL,
     id text NOT NULL,
     contact_id text NOT NULL,
     channel text NOT NULL DEFAULT 'push' CHECK (channel = 'push'),
     slot smallint NOT NULL DEFAULT 0,
     name text NOT NULL,
     subscription text NOT NULL,
     endpoint_digest bytea NOT NULL,
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     last_sent_at timestamptz,
     -- Why the last message did not go there; null: it did.
     last_fault text,
     PRIMARY KEY (account_id, id),
     FOREIGN KEY (account_id, contact_id, channel, slot)
       REFERENCES contact_channel (account_id, contact_id, channel, slot) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   )`,
  'CREATE UNIQUE INDEX web_push_device_endpoint ON web_push_device (account_id, contact_id, endpoint_digest)',
  // The link with which a phone is made one of a contact's devices: the last one made. Its code is not stored.
  `CREATE TABLE device_link (
     account_id text NOT NULL,
     contact_id text NOT NULL,
     digest bytea NOT NULL,
     expires_at timestamptz NOT NULL,
     taken_at timestamptz,
     PRIMARY KEY (account_id, contact_id),
     FOREIGN KEY (account_id, contact_id) REFERENCES contact (account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   )`,
  // Whoever opens it names no account.
  'CREATE UNIQUE INDEX device_link_digest ON device_link (digest)',
  // By the address and not by the contact: a contact deleted and created anew must not allow endless guesses.
  `CREATE TABLE verification_sent (
     account_id text NOT NULL REFERENCES account (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     address_digest bytea NOT NULL,
     last_at timestamptz NOT NULL,
     -- When codes were sent there within the last day.
     sent timestamptz[] NOT NULL,
     PRIMARY KEY (account_id, address_digest)
   )`,

  `CREATE TABLE duty (
     account_id text NOT NULL REFERENCES account (id) DEFERRABLE INITIALLY DEFERRED,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     key text NOT NULL,
     name text NOT NULL,
     time_zone text NOT NULL,
     hours jsonb NOT NULL,
     otherwise jsonb NOT NULL,
     exceptions jsonb NOT NULL,
     tell boolean NOT NULL DEFAULT true,
     -- Everybody whom it names.
     contact_ids text[] NOT NULL,
     -- When whoever is on duty is looked at next, by clocks, and who was the last time (engine/watch/duties.ts).
     look_at timestamptz,
     on_duty text[],
     feed_digest bytea,
     version int NOT NULL DEFAULT 1,
     PRIMARY KEY (account_id, id)
   )`,
  'CREATE UNIQUE INDEX duty_key ON duty (account_id, key)',
  'CREATE INDEX duty_seq ON duty (account_id, seq)',
  'CREATE INDEX duty_look ON duty (look_at) WHERE look_at IS NOT NULL',
  'CREATE UNIQUE INDEX duty_feed ON duty (feed_digest) WHERE feed_digest IS NOT NULL',

  // The state of a source, which the engine locks. Separate from source, so that an owner's edit and the engine never
  // wait for each other. Each update raises the version, so that the newest is found at once (statements/apply.ts).
  'CREATE SEQUENCE source_state_version AS bigint',
  // With the version in the key, a new row is not compared with the old ones of its source while a snapshot keeps
  // those. Whoever inserts makes sure that each source has one row: with the source, under the account's lock.
  `CREATE TABLE source_state (
     account_id text NOT NULL,
     source_id text NOT NULL,
     version bigint NOT NULL DEFAULT 0,
     armed_mode text CHECK (armed_mode IN ('home', 'away', 'night', 'vacation')),
     pending_id bigint,
     pending_due_at timestamptz,
     pending_mode text,
     pending_environment text,
     pending_trace_id uuid,
     pending_count int,
     pending_last_at timestamptz,
     pending_tripped_keys jsonb,
     pending_silent_since timestamptz,
     PRIMARY KEY (account_id, source_id, version),
     FOREIGN KEY (account_id, source_id) REFERENCES source (account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   ) WITH (fillfactor = 70)`,
  'CREATE INDEX source_state_due ON source_state (pending_due_at) WHERE pending_due_at IS NOT NULL',
  // What of an account waits in its false-alarm window, which its owners look at.
  `CREATE INDEX source_state_windows ON source_state (account_id, pending_due_at) WHERE pending_due_at IS NOT NULL`,
  // On both ids together, so that a query for the newest does not use the primary key and walk all of them.
  'CREATE INDEX source_state_newest ON source_state ((account_id || source_id), version)',
];

/** Refreshes the planner's statistics after a file of thousands of things. */
const refreshStatistics = ofOwner({
  signature: 'tocsin_refresh_statistics()',
  head: 'tocsin_refresh_statistics() RETURNS void LANGUAGE plpgsql',
  body: 'BEGIN ANALYZE location, contact, contact_channel, policy, duty, source, source_state, mode; END',
});

export const owned = [...tables, ...refreshStatistics];
