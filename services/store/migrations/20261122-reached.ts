import { Migration } from '@mikro-orm/migrations';

/**
 * What it takes to reach people and to receive their answers: who acknowledged an incident and how, every moment of a
 * message, and guards.
 */
export class Reached extends Migration {
  override name = '20261122-reached';

  up(): void {
    for (const statement of [...incidents, ...deliveries, ...people, ...guards]) this.addSql(statement);
  }
}

const incidents = [
  'ALTER TABLE incident DROP CONSTRAINT incident_outcome_check',
  "ALTER TABLE incident ADD CHECK (outcome IN ('alerting', 'nobody_to_alert', 'exhausted'))",
  'ALTER TABLE incident ADD COLUMN acknowledged_via text',
  'ALTER TABLE incident ADD COLUMN acknowledged_contact_id text',
  "ALTER TABLE incident ADD COLUMN reply_code text NOT NULL DEFAULT ''",
  // When an unanswered incident becomes exhausted; null: it no longer can.
  'ALTER TABLE incident ADD COLUMN exhausts_at timestamptz',
  'ALTER TABLE incident ADD COLUMN applied_at timestamptz',
  'UPDATE incident SET applied_at = opened_at',
  'ALTER TABLE incident ALTER COLUMN applied_at SET NOT NULL',
  'ALTER TABLE incident ALTER COLUMN applied_at SET DEFAULT tocsin_now()',
  "CREATE INDEX incident_exhausts ON incident (exhausts_at) WHERE status = 'open' AND exhausts_at IS NOT NULL",
  // A reply names an incident by its code alone; only the sender tells whose it is.
  "CREATE INDEX incident_reply_code ON incident (reply_code) WHERE reply_code <> ''",
  'ALTER TABLE incident_entry ADD COLUMN round int',
  'ALTER TABLE incident_entry ADD COLUMN step int',
  'ALTER TABLE action ADD COLUMN via text',
  'ALTER TABLE action ADD COLUMN contact_id text',
];

const deliveries = [
  'ALTER TABLE delivery ADD COLUMN planned_at timestamptz',
  'ALTER TABLE delivery ADD COLUMN tries int NOT NULL DEFAULT 0',
  // For the monitor (engine/monitor.ts). Messages tried before it existed are not judged.
  "ALTER TABLE delivery ADD COLUMN audited text CHECK (audited IN ('in_time', 'late', 'overdue', 'missed', 'put_off'))",
  // In one statement: each pass rewrites the table of millions with all its indexes.
  `UPDATE delivery SET planned_at = due_at, tries = attempt,
     audited = CASE WHEN status <> 'scheduled' OR attempt > 0 THEN 'in_time' END`,
  'ALTER TABLE delivery ALTER COLUMN planned_at SET NOT NULL',
  // The version before does not set it.
  'ALTER TABLE delivery ALTER COLUMN planned_at SET DEFAULT tocsin_now()',
  'ALTER TABLE delivery ADD COLUMN first_attempt_at timestamptz',
  // A link and a carrier's callback name a delivery by its id alone; its account is found here.
  'CREATE INDEX delivery_id ON delivery (id)',
  // The first messages of incidents have a way of their own past a backlog of others (engine/deliver.ts).
  `CREATE INDEX delivery_first ON delivery (channel, due_at)
     WHERE status = 'scheduled' AND kind = 'alert' AND round = 0 AND step = 0 AND tries = 0`,
  // What a contact was sent recently, for the throttle.
  'CREATE INDEX delivery_recent ON delivery (account_id, contact_id, channel, sent_at) WHERE sent_at IS NOT NULL',
  `CREATE INDEX delivery_unaudited ON delivery (planned_at)
     WHERE kind = 'alert' AND audited IS NULL AND status <> 'suppressed'`,
  // Overdue messages that have changed since.
  `CREATE INDEX delivery_overdue ON delivery (planned_at)
     WHERE audited = 'overdue' AND (first_attempt_at IS NOT NULL OR status NOT IN ('scheduled', 'sending'))`,
  // A step is reported late once and missed once, by whichever engine looks.
  `CREATE UNIQUE INDEX incident_entry_step ON incident_entry (account_id, incident_id, kind, round, step)
     WHERE round IS NOT NULL`,
];

const people = [
  "ALTER TABLE contact ADD COLUMN voice text NOT NULL DEFAULT ''",
  // Addresses that could be alerted before there were codes still can.
  'UPDATE contact_channel SET verified_at = tocsin_now() WHERE verified_at IS NULL',
  `CREATE TABLE verification (
     account_id text NOT NULL,
     contact_id text NOT NULL,
     channel text NOT NULL,
     digest bytea NOT NULL,
     expires_at timestamptz NOT NULL,
     guesses int NOT NULL DEFAULT 0,
     PRIMARY KEY (account_id, contact_id, channel),
     FOREIGN KEY (account_id, contact_id, channel)
       REFERENCES contact_channel (account_id, contact_id, channel) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   )`,
  // By the address and not by the contact: a contact deleted and created anew must not allow endless guesses.
  `CREATE TABLE verification_sent (
     account_id text NOT NULL REFERENCES account (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     address_digest bytea NOT NULL,
     last_at timestamptz NOT NULL,
     -- When codes were sent there within the last day.
     sent timestamptz[] NOT NULL,
     PRIMARY KEY (account_id, address_digest)
   )`,
  // Sealed, like the addresses of contacts.
  'ALTER TABLE account ADD COLUMN owner_email text',
  'ALTER TABLE account ADD COLUMN still_happening_s int NOT NULL DEFAULT 0 CHECK (still_happening_s BETWEEN 0 AND 86400)',
  'ALTER TABLE account ADD COLUMN daily_spend_cap_cents int NOT NULL DEFAULT 1000',
  // When the plan last switched sources off and on since the first days ended; null: not yet. They end by themselves.
  'ALTER TABLE account ADD COLUMN limits_checked_at timestamptz',
  "CREATE INDEX account_first_days ON account (created_at) WHERE plan = 'free' AND limits_checked_at IS NULL",
];

const guards = [
  // What the owner is notified of; `about` holds the facts for its words, `once` keeps the same thing from being sent
  // twice.
  `CREATE TABLE notice (
     account_id text NOT NULL REFERENCES account (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     kind text NOT NULL,
     once text NOT NULL,
     incident_id text,
     about jsonb NOT NULL DEFAULT '{}',
     at timestamptz NOT NULL,
     status text NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'sending', 'sent', 'failed', 'outbox')),
     reason text,
     due_at timestamptz NOT NULL,
     attempt int NOT NULL DEFAULT 0,
     tries int NOT NULL DEFAULT 0,
     lease_until timestamptz,
     first_attempt_at timestamptz,
     sent_at timestamptz,
     PRIMARY KEY (account_id, id),
     UNIQUE (account_id, kind, once)
   )`,
  "CREATE INDEX notice_due ON notice (due_at, seq) WHERE status = 'scheduled'",
  "CREATE INDEX notice_leased ON notice (lease_until) WHERE status = 'sending'",
  'CREATE INDEX notice_newest ON notice (account_id, seq DESC)',
  // How many notices an owner was mailed recently, and how many are about to be.
  'CREATE INDEX notice_sent ON notice (account_id, kind, sent_at) WHERE sent_at IS NOT NULL',
  "CREATE INDEX notice_waiting ON notice (account_id, kind, seq) WHERE status IN ('scheduled', 'sending')",
  // The estimated cost of texts and calls of a day (UTC) (domain/spend.ts).
  `CREATE TABLE spend (
     account_id text NOT NULL REFERENCES account (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     day date NOT NULL,
     text_parts int NOT NULL DEFAULT 0,
     calls int NOT NULL DEFAULT 0,
     cents int NOT NULL DEFAULT 0,
     PRIMARY KEY (account_id, day)
   )`,
];
