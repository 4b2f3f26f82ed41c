import { Migration } from '@mikro-orm/migrations';

/** An audit that distinguishes who acts from their name, and that stays when its account is deleted. */
export class KeptAudit extends Migration {
  override name = '20261122-audit';

  up(): void {
    for (const statement of [...actors, ...deleted, ...erase]) this.addSql(statement);
  }
}

/** Empty in rows of a version that knows neither. */
const actors = [
  `ALTER TABLE audit ADD COLUMN actor_kind text
     CHECK (actor_kind IN ('operator', 'account', 'config_file', 'product')), ADD COLUMN actor_token_id text`,
];

/**
 * What remains of an account (DECISIONS.md "Deleting an account"), by a trigger, because a version without it deletes
 * too.
 */
const deleted = [
  `CREATE TABLE deleted_account (
     account_id text PRIMARY KEY,
     seq bigint NOT NULL,
     deleted_at timestamptz NOT NULL DEFAULT tocsin_now(),
     erased_at timestamptz,
     erased_by text,
     CHECK ((erased_at IS NULL) = (erased_by IS NULL))
   )`,
  'CREATE INDEX deleted_account_seq ON deleted_account (seq)',
  `CREATE FUNCTION tocsin_keep_deleted_account() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN INSERT INTO deleted_account (account_id, seq) VALUES (OLD.id, OLD.seq); RETURN NULL; END $$`,
  `CREATE TRIGGER account_deleted AFTER DELETE ON account
     FOR EACH ROW EXECUTE FUNCTION tocsin_keep_deleted_account()`,
  'ALTER TABLE audit DROP CONSTRAINT audit_account_id_fkey',
];

/**
 * The only way to remove rows before they are too old, with the rights of the tables' owner: roles that may only add
 * rows may call it, and nobody for an account that exists. Returns how many it removed, at most as many as requested.
 */
const erase = [
  `CREATE FUNCTION tocsin_erase_audit(deleted_id text, most int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS $$
   DECLARE removed int;
   BEGIN
     IF EXISTS (SELECT FROM account WHERE id = deleted_id) THEN
       RAISE EXCEPTION 'The account is still there.' USING ERRCODE = 'insufficient_privilege';
     END IF;
     DELETE FROM audit WHERE account_id = deleted_id
       AND id = ANY (ARRAY(SELECT id FROM audit WHERE account_id = deleted_id ORDER BY id LIMIT most));
     GET DIAGNOSTICS removed = ROW_COUNT;
     RETURN removed;
   END $$`,
  'REVOKE ALL ON FUNCTION tocsin_erase_audit(text, int) FROM PUBLIC',
  // Its tables are those of this schema, whatever the caller's search_path says.
  `DO $$ BEGIN
     EXECUTE format('ALTER FUNCTION tocsin_erase_audit(text, int) SET search_path = pg_catalog, %I, pg_temp', current_schema());
   END $$`,
];
