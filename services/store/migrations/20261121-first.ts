import { Migration } from '@mikro-orm/migrations';

/**
 * The first schema. What every table keeps to:
 *
 * - `account_id` is in every row, in every primary key that allows it and in every foreign key, so that no join can cross
 *   accounts and the schema can be spread by account.
 * - Identifiers are `text`, not `char(32)`: a char column compared with a text parameter does not use its index.
 * - The closed words (verb, status, outcome, …) are text, the same words as in services/domain and the protos.
 * - The foreign keys between what owners configure are checked at commit, because the mapper writes rows in any order.
 */
export class First extends Migration {
  override name = '20261121-first';

  up(): void {
    for (const statement of [...clock, ...owned, ...keys, ...moving, ...incidents]) this.addSql(statement);
  }
}

/**
 * The one clock of all decisions. Whole milliseconds, so that a time read into JavaScript equals the stored one. Tests
 * replace the function by one that adds a shift. Compare with `(SELECT tocsin_now())`: a bare volatile call in a WHERE
 * clause would keep the index on a due time from being used.
 */
const clock = [
  `CREATE FUNCTION tocsin_now() RETURNS timestamptz LANGUAGE sql VOLATILE
     AS $$ SELECT date_trunc('milliseconds', clock_timestamp()) $$`,
];

const owned = [
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

const keys = [
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
  // A key has more than one secret while it is being rotated. The digest alone names the account, so it is the key here.
  `CREATE TABLE api_key_secret (
     digest bytea PRIMARY KEY,
     account_id text NOT NULL,
     key_id text NOT NULL,
     last4 text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     ends_at timestamptz,
     FOREIGN KEY (account_id, key_id) REFERENCES api_key (account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   )`,
  // account_id is null for the operator's token: it names the account in each call.
  `CREATE TABLE console_token (
     id text PRIMARY KEY,
     account_id text REFERENCES account (id) DEFERRABLE INITIALLY DEFERRED,
     digest bytea NOT NULL UNIQUE,
     label text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     revoked_at timestamptz
   )`,
];

const moving = [
  // The row that the engine locks. Apart from source, so that an owner's edit and the engine never wait for each other.
  `CREATE TABLE source_state (
     account_id text NOT NULL,
     source_id text NOT NULL,
     armed_mode text CHECK (armed_mode IN ('home', 'away', 'night', 'vacation')),
     pending_id bigint,
     pending_due_at timestamptz,
     pending_mode text,
     pending_environment text,
     pending_trace_id uuid,
     pending_count int,
     pending_last_at timestamptz,
     PRIMARY KEY (account_id, source_id),
     FOREIGN KEY (account_id, source_id) REFERENCES source (account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   ) WITH (fillfactor = 70)`,
  'CREATE INDEX source_state_due ON source_state (pending_due_at) WHERE pending_due_at IS NOT NULL',
  // The queue of accepted calls: a row is gone as soon as it is applied and its outcome is in call_log, so that what every
  // accept touches stays small. No foreign keys, two indexes: this is the hot path.
  `CREATE TABLE action (
     account_id text NOT NULL,
     source_id text NOT NULL,
     id bigint GENERATED ALWAYS AS IDENTITY,
     verb text NOT NULL,
     mode text,
     environment text NOT NULL,
     window_s int NOT NULL DEFAULT 0,
     only_when_armed boolean NOT NULL DEFAULT false,
     trace_id uuid NOT NULL,
     key_id text,
     incident_id text,
     actor text,
     accepted_at timestamptz NOT NULL,
     PRIMARY KEY (account_id, source_id, id)
   ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  'CREATE INDEX action_oldest ON action (id)',
  // What an alarm will be armed in once its waiting calls are applied: asked by every bare call.
  `CREATE INDEX action_arming ON action (account_id, source_id, id) WHERE verb IN ('arm', 'disarm')`,
  `CREATE TABLE call_log (
     account_id text NOT NULL,
     id bigint GENERATED ALWAYS AS IDENTITY,
     trace_id uuid NOT NULL,
     at timestamptz NOT NULL,
     key_id text,
     actor text,
     verb text NOT NULL,
     source_id text NOT NULL,
     mode text,
     environment text,
     outcome text NOT NULL,
     applied_at timestamptz,
     incident_id text,
     pending_id bigint,
     PRIMARY KEY (account_id, id)
   ) WITH (autovacuum_vacuum_insert_scale_factor = 0.05)`,
  'CREATE INDEX call_log_trace ON call_log (trace_id)',
  'CREATE INDEX call_log_incident ON call_log (account_id, incident_id) WHERE incident_id IS NOT NULL',
  'CREATE INDEX call_log_pending ON call_log (account_id, pending_id) WHERE pending_id IS NOT NULL',
];

const incidents = [
  `CREATE TABLE incident (
     account_id text NOT NULL,
     id text NOT NULL,
     source_id text NOT NULL,
     location_id text NOT NULL,
     mode text,
     environment text NOT NULL CHECK (environment IN ('live', 'test')),
     status text NOT NULL CHECK (status IN ('open', 'closed')),
     outcome text NOT NULL CHECK (outcome IN ('alerting', 'nobody_to_alert')),
     opened_at timestamptz NOT NULL,
     window_ended_at timestamptz,
     escalation_ends_at timestamptz NOT NULL,
     auto_close_at timestamptz NOT NULL,
     acknowledged_at timestamptz,
     acknowledged_by text,
     closed_at timestamptz,
     close_reason text,
     trigger_count int NOT NULL,
     last_trigger_at timestamptz NOT NULL,
     trace_id uuid NOT NULL,
     copy jsonb NOT NULL,
     PRIMARY KEY (account_id, id),
     FOREIGN KEY (account_id, source_id) REFERENCES source (account_id, id),
     CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
     CHECK ((status = 'closed') = (close_reason IS NOT NULL))
   ) WITH (fillfactor = 80)`,
  "CREATE UNIQUE INDEX incident_one_open ON incident (account_id, source_id) WHERE status = 'open'",
  "CREATE INDEX incident_auto_close ON incident (auto_close_at) WHERE status = 'open'",
  'CREATE INDEX incident_newest ON incident (account_id, opened_at DESC, id DESC)',
  `CREATE TABLE incident_entry (
     account_id text NOT NULL,
     id bigint GENERATED ALWAYS AS IDENTITY,
     incident_id text NOT NULL,
     at timestamptz NOT NULL,
     kind text NOT NULL,
     detail text NOT NULL DEFAULT '',
     PRIMARY KEY (account_id, id),
     FOREIGN KEY (account_id, incident_id) REFERENCES incident (account_id, id)
   )`,
  'CREATE INDEX incident_entry_incident ON incident_entry (account_id, incident_id, id)',
  `CREATE TABLE delivery (
     account_id text NOT NULL,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     incident_id text NOT NULL,
     kind text NOT NULL CHECK (kind IN ('alert', 'taken', 'still_happening')),
     round int NOT NULL,
     step int NOT NULL,
     contact_id text NOT NULL,
     channel text NOT NULL,
     status text NOT NULL CHECK (status IN
       ('scheduled', 'suppressed', 'sending', 'sent', 'delivered', 'failed', 'cancelled', 'outbox')),
     reason text,
     due_at timestamptz NOT NULL,
     attempt int NOT NULL DEFAULT 0,
     lease_until timestamptz,
     provider_ref text,
     message text,
     sent_at timestamptz,
     delivered_at timestamptz,
     PRIMARY KEY (account_id, id),
     UNIQUE (account_id, incident_id, kind, round, step, contact_id, channel),
     FOREIGN KEY (account_id, incident_id) REFERENCES incident (account_id, id)
   ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01)`,
  "CREATE INDEX delivery_due ON delivery (channel, due_at, seq) WHERE status = 'scheduled'",
  "CREATE INDEX delivery_leased ON delivery (channel, lease_until) WHERE status = 'sending'",
];
