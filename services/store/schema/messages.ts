/** The messages of incidents. Accounts take turns at sending them (store/statements/turn.ts), however much one has due. */
export const messages = [
  `CREATE TABLE delivery (
     account_id text NOT NULL,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     incident_id text NOT NULL,
     kind text NOT NULL CHECK (kind IN ('alert', 'acknowledged', 'still_happening')),
     round int NOT NULL,
     step int NOT NULL,
     contact_id text NOT NULL,
     channel text NOT NULL,
     -- In whose place it goes, where its step does not name it (DECISIONS.md "Would it reach").
     instead_of text,
     status text NOT NULL CHECK (status IN
       ('scheduled', 'suppressed', 'sending', 'sent', 'delivered', 'failed', 'cancelled', 'no_carrier')),
     reason text,
     planned_at timestamptz NOT NULL DEFAULT tocsin_now(),
     due_at timestamptz NOT NULL,
     -- When its step was to go before it was brought forward (DECISIONS.md "All that was due has failed").
     moved_from timestamptz,
     -- Counts leases: the fence.
     attempt int NOT NULL DEFAULT 0,
     tries int NOT NULL DEFAULT 0,
     lease_until timestamptz,
     first_attempt_at timestamptz,
     -- When the last attempt found the carrier itself away; null: it did not.
     carrier_away_at timestamptz,
     -- By whom it went last, and to which of the contact's addresses of its channel (contact_channel.slot); null: the first.
     carrier text,
     slot smallint,
     -- Carriers that did not take it, so that the next one was asked (domain/standing-by.ts CarrierTry).
     carrier_tries jsonb,
     -- Which carrier is asked whether it was answered in its app: one that may have it, though another one took it since.
     asked_of text,
     -- When it was last asked; null: it is not asked; infinity: no more.
     asked_at timestamptz,
     sent_at timestamptz,
     delivered_at timestamptz,
     provider_ref text,
     message text,
     -- What the monitor found (engine/watch/monitor.ts).
     audited text CHECK (audited IN ('in_time', 'late', 'overdue', 'missed', 'put_off')),
     PRIMARY KEY (account_id, id),
     UNIQUE (account_id, incident_id, kind, round, step, contact_id, channel),
     FOREIGN KEY (account_id, incident_id) REFERENCES incident (account_id, id)
   ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01)`,
  // A link and a carrier's callback name a delivery by its id alone; its account is found here.
  'CREATE INDEX delivery_id ON delivery (id)',
  "CREATE INDEX delivery_due ON delivery (channel, due_at, seq) WHERE status = 'scheduled'",
  "CREATE INDEX delivery_leased ON delivery (channel, lease_until) WHERE status = 'sending'",
  // What an account has due on a channel: what is failing apart from what is not, and first messages, newest first.
  `CREATE INDEX delivery_turn ON delivery (((channel || '/' || account_id) COLLATE "C"),
     ((CASE WHEN tries < 2 THEN 'fresh' ELSE 'failing' END) COLLATE "C"), due_at, seq) WHERE status = 'scheduled'`,
  `CREATE INDEX delivery_turn_failing ON delivery (((channel || '/' || account_id) COLLATE "C"), planned_at DESC, due_at)
     WHERE status = 'scheduled' AND tries >= 2`,
  `CREATE INDEX delivery_turn_first ON delivery (((channel || '/' || account_id) COLLATE "C"), due_at DESC, seq)
     WHERE status = 'scheduled' AND kind = 'alert' AND round = 0 AND step = 0 AND tries = 0`,
  // What may be answered in the app of its carrier.
  "CREATE INDEX delivery_asked ON delivery (asked_of, asked_at) WHERE asked_at < 'infinity'",
  // What a contact was sent recently, for the throttle.
  'CREATE INDEX delivery_recent ON delivery (account_id, contact_id, channel, sent_at) WHERE sent_at IS NOT NULL',
  `CREATE INDEX delivery_unaudited ON delivery (planned_at)
     WHERE kind = 'alert' AND audited IS NULL AND status <> 'suppressed'`,
  // Overdue messages that have changed since.
  `CREATE INDEX delivery_overdue ON delivery (planned_at)
     WHERE audited = 'overdue' AND (first_attempt_at IS NOT NULL OR status NOT IN ('scheduled', 'sending'))`,
];
