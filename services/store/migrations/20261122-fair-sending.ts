import { Migration } from '@mikro-orm/migrations';

/** Indexes with which accounts take turns at sending (store/statements/turn.ts), however much one of them has due. */
export class FairSending extends Migration {
  override name = '20261122-fair-sending';

  up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // What an account has due on a channel: everything, oldest first, and first messages, newest first.
  `CREATE INDEX delivery_turn ON delivery (((channel || '/' || account_id) COLLATE "C"), due_at, seq)
     WHERE status = 'scheduled'`,
  'DROP INDEX delivery_first',
  `CREATE INDEX delivery_turn_first ON delivery (((channel || '/' || account_id) COLLATE "C"), due_at DESC, seq)
     WHERE status = 'scheduled' AND kind = 'alert' AND round = 0 AND step = 0 AND tries = 0`,
  `CREATE INDEX notice_turn ON notice ((('notice/' || account_id) COLLATE "C"), due_at, seq) WHERE status = 'scheduled'`,
];
