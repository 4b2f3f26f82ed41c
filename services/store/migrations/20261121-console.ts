import { Migration } from '@mikro-orm/migrations';

/** What the console needs: keys chosen by owners, lists by creation, tombstones, versions and the audit. */
export class Console extends Migration {
  override name = '20261121-console';

  up(): void {
    for (const statement of [...KEYED.flatMap(keyed), ...tombstones, ...lists, ...audit]) this.addSql(statement);
  }
}

const KEYED = ['location', 'contact', 'policy', 'source', 'api_key'];

/** Rows from before there were keys get their id as key: unique, and of the right format. */
function keyed(table: string): string[] {
  return [
    `ALTER TABLE ${table} ADD COLUMN key text`,
    `UPDATE ${table} SET key = id`,
    `ALTER TABLE ${table} ALTER COLUMN key SET NOT NULL`,
  ];
}

/**
 * Sources and locations are never removed: calls accepted a moment ago and incidents of years ago still refer to them.
 * A deleted one is disabled, so that nothing fires, and its key is free again.
 */
const tombstones = [
  'ALTER TABLE location ADD COLUMN deleted_at timestamptz',
  'ALTER TABLE source ADD COLUMN deleted_at timestamptz',
  'ALTER TABLE source ADD CHECK (deleted_at IS NULL OR disabled)',
  'CREATE UNIQUE INDEX location_key ON location (account_id, key) WHERE deleted_at IS NULL',
  'CREATE UNIQUE INDEX source_key ON source (account_id, kind, key) WHERE deleted_at IS NULL',
  'CREATE UNIQUE INDEX contact_key ON contact (account_id, key)',
  'CREATE UNIQUE INDEX policy_key ON policy (account_id, key)',
  'CREATE UNIQUE INDEX api_key_key ON api_key (account_id, key)',
];

const lists = [
  'ALTER TABLE account ADD COLUMN seq bigint GENERATED ALWAYS AS IDENTITY',
  'ALTER TABLE api_key ADD COLUMN version int NOT NULL DEFAULT 1',
  'CREATE INDEX account_seq ON account (seq)',
  'CREATE INDEX location_seq ON location (account_id, seq) WHERE deleted_at IS NULL',
  'CREATE INDEX source_seq ON source (account_id, kind, seq) WHERE deleted_at IS NULL',
  'CREATE INDEX contact_seq ON contact (account_id, seq)',
  'CREATE INDEX policy_seq ON policy (account_id, seq)',
  'CREATE INDEX api_key_seq ON api_key (account_id, seq)',
  'CREATE INDEX api_key_secret_key ON api_key_secret (account_id, key_id)',
  'CREATE INDEX api_key_alarm ON api_key (account_id, alarm_id) WHERE alarm_id IS NOT NULL',
  'CREATE INDEX console_token_account ON console_token (account_id)',
  'CREATE INDEX mode_policy ON mode (account_id, policy_id) WHERE policy_id IS NOT NULL',
  // An owner looks up the calls of one camera.
  'CREATE INDEX call_log_source ON call_log (account_id, source_id, id)',
  'CREATE INDEX source_policy ON source (account_id, policy_id) WHERE policy_id IS NOT NULL',
];

const audit = [
  `CREATE TABLE audit (
     account_id text NOT NULL REFERENCES account (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     id bigint GENERATED ALWAYS AS IDENTITY,
     at timestamptz NOT NULL DEFAULT tocsin_now(),
     actor text NOT NULL,
     kind text NOT NULL,
     thing_id text NOT NULL,
     name text NOT NULL,
     action text NOT NULL CHECK (action IN ('create', 'update', 'delete', 'rotate', 'revoke')),
     before jsonb,
     after jsonb,
     PRIMARY KEY (account_id, id)
   )`,
  'CREATE INDEX audit_thing ON audit (account_id, thing_id, id)',
];
