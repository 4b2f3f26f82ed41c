import { Migration } from '@mikro-orm/migrations';

/**
 * What it takes to try messages on for a day (DECISIONS.md "A passing failure", "All that was due has failed"): when a
 * step was to go before it was brought forward, and whether the last attempt found the carrier itself away. The indexes keep what is failing apart from what is not (store/statements/turn.ts).
 */
export class Retries extends Migration {
  override name = '20261125-retries';

  up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  'ALTER TABLE delivery ADD COLUMN moved_from timestamptz, ADD COLUMN carrier_away_at timestamptz',
  'DROP INDEX delivery_turn',
  `CREATE INDEX delivery_turn ON delivery (((channel || '/' || account_id) COLLATE "C"),
     ((CASE WHEN tries < 2 THEN 'fresh' ELSE 'failing' END) COLLATE "C"), due_at, seq) WHERE status = 'scheduled'`,
  `CREATE INDEX delivery_turn_failing ON delivery (((channel || '/' || account_id) COLLATE "C"), planned_at DESC, due_at)
     WHERE status = 'scheduled' AND tries >= 2`,
];
