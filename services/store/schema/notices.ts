/**
 * What concerns an account (DECISIONS.md "Last-line notices"), and who is told: its owners whose address is confirmed,
 * each with a delivery of their own.
 */
export const notices = [
  // `about` holds the facts for its words, `once` keeps the same thing from being told twice. It outlives its account
  // until that is erased.
  `CREATE TABLE notice (
     account_id text NOT NULL,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     kind text NOT NULL,
     once text NOT NULL,
     incident_id text,
     -- The contact to whom it goes; null: to the owners.
     contact_id text,
     about jsonb NOT NULL DEFAULT '{}',
     at timestamptz NOT NULL,
     -- When it was decided to whom it goes; null: not yet.
     planned_at timestamptz,
     PRIMARY KEY (account_id, id),
     UNIQUE (account_id, kind, once)
   )`,
  'CREATE INDEX notice_unplanned ON notice (seq) WHERE planned_at IS NULL',
  // The list of owners leaves out what went to people on duty, which may be most of them.
  'CREATE INDEX notice_newest ON notice (account_id, seq DESC) WHERE contact_id IS NULL',
  // Those about no incident stand together, oldest first.
  'CREATE INDEX notice_incident ON notice (account_id, incident_id, seq)',

  // `contact_id` null: to the member's email, else over this channel of the contact that the member is too, or without a
  // member of that contact. `kind` is
  // that of the notice, by which mails are limited.
  `CREATE TABLE notice_delivery (
     account_id text NOT NULL,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     notice_id text NOT NULL,
     kind text NOT NULL,
     member_id text,
     contact_id text,
     channel text NOT NULL,
     status text NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'sending', 'sent', 'failed', 'no_carrier')),
     reason text,
     planned_at timestamptz NOT NULL DEFAULT tocsin_now(),
     due_at timestamptz NOT NULL DEFAULT tocsin_now(),
     attempt int NOT NULL DEFAULT 0,
     tries int NOT NULL DEFAULT 0,
     lease_until timestamptz,
     first_attempt_at timestamptz,
     sent_at timestamptz,
     PRIMARY KEY (account_id, id),
     FOREIGN KEY (account_id, notice_id) REFERENCES notice (account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   )`,
  'CREATE INDEX notice_delivery_of ON notice_delivery (account_id, notice_id, seq)',
  "CREATE INDEX notice_delivery_due ON notice_delivery (due_at, seq) WHERE status = 'scheduled'",
  "CREATE INDEX notice_delivery_leased ON notice_delivery (lease_until) WHERE status = 'sending'",
  `CREATE INDEX notice_delivery_turn ON notice_delivery ((('notice/' || account_id) COLLATE "C"),
     ((CASE WHEN tries < 2 THEN 'fresh' ELSE 'failing' END) COLLATE "C"), due_at, seq) WHERE status = 'scheduled'`,
  `CREATE INDEX notice_delivery_turn_failing ON notice_delivery ((('notice/' || account_id) COLLATE "C"), planned_at DESC, due_at)
     WHERE status = 'scheduled' AND tries >= 2`,
  // The last line's, newest first (domain/notice.ts).
  `CREATE INDEX notice_delivery_turn_first ON notice_delivery ((('notice/' || account_id) COLLATE "C"), due_at DESC, seq)
     WHERE status = 'scheduled' AND kind IN ('nobody_to_alert', 'nobody_reached', 'exhausted') AND tries = 0`,
  // How many of a kind somebody was sent recently over a channel, and how many are about to be.
  `CREATE INDEX notice_delivery_sent ON notice_delivery (account_id, kind, coalesce(member_id, contact_id), channel, sent_at)
     WHERE sent_at IS NOT NULL`,
  `CREATE INDEX notice_delivery_waiting ON notice_delivery (account_id, kind, coalesce(member_id, contact_id), channel, seq)
     WHERE status IN ('scheduled', 'sending')`,
];
