/** What texts and calls cost, and who was told (domain/spend.ts). Days are those of UTC; old rows go by their day. */
export const spending = [
  `CREATE TABLE spend (
     account_id text NOT NULL REFERENCES account (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     day date NOT NULL,
     text_parts int NOT NULL DEFAULT 0,
     calls int NOT NULL DEFAULT 0,
     cents int NOT NULL DEFAULT 0,
     PRIMARY KEY (account_id, day)
   )`,
  'CREATE INDEX spend_day ON spend (day)',
  `CREATE TABLE source_spend (
     account_id text NOT NULL REFERENCES account (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     source_id text NOT NULL,
     day date NOT NULL,
     cents int NOT NULL,
     PRIMARY KEY (account_id, day, source_id)
   )`,
  'CREATE INDEX source_spend_day ON source_spend (day)',
  // Who got a text or a call about a source on a day: the first one always goes (DECISIONS.md "Spending ceiling").
  // Looked up for each one near a ceiling, which would otherwise search all deliveries of the day.
  `CREATE TABLE source_told (
     account_id text NOT NULL REFERENCES account (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     day date NOT NULL,
     source_id text NOT NULL,
     contact_id text NOT NULL,
     channel text NOT NULL,
     PRIMARY KEY (account_id, day, source_id, contact_id, channel)
   )`,
  'CREATE INDEX source_told_day ON source_told (day)',
  // Over all accounts, so no account owns it: the accounts whose drills and codes went to an unverified address on a
  // day, one entry for each message (domain/verification.ts).
  `CREATE TABLE unverified_sent (
     day date NOT NULL,
     address_digest bytea NOT NULL,
     accounts text[] NOT NULL,
     PRIMARY KEY (day, address_digest)
   )`,
];
