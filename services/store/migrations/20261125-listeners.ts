import { Migration } from '@mikro-orm/migrations';

/**
 * Who is told of what concerns an account (DECISIONS.md "Last-line notices"): its owners whose address is confirmed, each
 * with a delivery of their own. The version before keeps the state of the one mail to the owner's address in `notice`
 * itself; the next one drops that.
 */
export class Listeners extends Migration {
  override name = '20261125-listeners';

  up(): void {
    for (const statement of [...members, ...links, ...deliveries]) this.addSql(statement);
  }
}

const members = [
  // Whoever signed in by a code to their address has shown that it is theirs. All other owners are asked once
  // (`asked_at`).
  'ALTER TABLE member ADD COLUMN confirmed_at timestamptz, ADD COLUMN asked_at timestamptz',
  'UPDATE member SET confirmed_at = last_seen_at, asked_at = last_seen_at WHERE last_seen_at IS NOT NULL',
  "CREATE INDEX member_unconfirmed ON member (seq) WHERE confirmed_at IS NULL AND role = 'owner'",
];

const links = [
  // A link signs in as a token, or confirms the address of a member.
  `ALTER TABLE sign_in_link ALTER COLUMN token_digest DROP NOT NULL, ADD COLUMN account_id text, ADD COLUMN member_id text,
     ADD FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id)
       ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     ADD CHECK ((token_digest IS NULL) = (member_id IS NOT NULL))`,
  'CREATE INDEX sign_in_link_member ON sign_in_link (account_id, member_id) WHERE member_id IS NOT NULL',
];

const deliveries = [
  // Null: to whom it goes was not decided yet.
  'ALTER TABLE notice ADD COLUMN planned_at timestamptz',
  'CREATE INDEX notice_unplanned ON notice (seq) WHERE planned_at IS NULL',
  // `member_id` null: the one mail to the owner's address of an earlier version. `contact_id` null: to the member's email,
  // else over this channel of the contact that the member is too. `kind` is that of the notice, by which mails are limited.
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
  `CREATE INDEX notice_delivery_turn ON notice_delivery ((('notice/' || account_id) COLLATE "C"),
     ((CASE WHEN tries < 2 THEN 'fresh' ELSE 'failing' END) COLLATE "C"), due_at, seq) WHERE status = 'scheduled'`,
  `CREATE INDEX notice_delivery_turn_failing ON notice_delivery ((('notice/' || account_id) COLLATE "C"), planned_at DESC, due_at)
     WHERE status = 'scheduled' AND tries >= 2`,
  "CREATE INDEX notice_delivery_due ON notice_delivery (due_at, seq) WHERE status = 'scheduled'",
  "CREATE INDEX notice_delivery_leased ON notice_delivery (lease_until) WHERE status = 'sending'",
  // How many of a kind somebody was sent recently over a channel, and how many are about to be.
  `CREATE INDEX notice_delivery_sent ON notice_delivery (account_id, kind, member_id, channel, sent_at)
     WHERE sent_at IS NOT NULL`,
  `CREATE INDEX notice_delivery_waiting ON notice_delivery (account_id, kind, member_id, channel, seq)
     WHERE status IN ('scheduled', 'sending')`,
  `INSERT INTO notice_delivery (account_id, id, notice_id, kind, channel, status, reason, planned_at, due_at, tries, first_attempt_at, sent_at)
   SELECT account_id, id, id, kind, 'email', status, reason, at, due_at, tries, first_attempt_at, sent_at FROM notice
   WHERE status NOT IN ('scheduled', 'sending') ORDER BY seq`,
  "UPDATE notice SET planned_at = at WHERE status NOT IN ('scheduled', 'sending')",
  // The version before sends no more of them: this one tells whatever either of them writes.
  "UPDATE notice SET status = 'failed' WHERE status IN ('scheduled', 'sending')",
  "ALTER TABLE notice ALTER COLUMN status SET DEFAULT 'failed'",
];
