import { Migration } from '@mikro-orm/migrations';

/**
 * An account can be deleted once its things are gone: tombstones, keys and history outlive it, like its audit, until
 * they are erased (DECISIONS.md "Deleting an account").
 */
export class DeletedAccounts extends Migration {
  override name = '20261122-deleted-accounts';

  up(): void {
    for (const table of OUTLIVES) this.addSql(`ALTER TABLE ${table} DROP CONSTRAINT ${table}_account_id_fkey`);
    for (const statement of deletion) this.addSql(statement);
  }
}

/** Tables with tombstones or history. Contacts and policies leave none. */
const OUTLIVES = ['location', 'source', 'api_key', 'notice'];

/** Replaces the foreign keys: nobody can delete an account that still holds something. */
const deletion = [
  `CREATE OR REPLACE FUNCTION tocsin_delete_account(account_id text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
   BEGIN
     IF EXISTS (SELECT FROM location t WHERE t.account_id = $1 AND t.deleted_at IS NULL)
       OR EXISTS (SELECT FROM source t WHERE t.account_id = $1 AND t.deleted_at IS NULL)
       OR EXISTS (SELECT FROM api_key t WHERE t.account_id = $1 AND t.revoked_at IS NULL
         AND (t.expires_at IS NULL OR t.expires_at > (SELECT tocsin_now()))) THEN
       RAISE EXCEPTION 'The account still holds something.' USING ERRCODE = 'foreign_key_violation';
     END IF;
     DELETE FROM account WHERE id = $1;
   END $$`,
  `DO $$ BEGIN
     EXECUTE format('ALTER FUNCTION tocsin_delete_account(text) SET search_path = pg_catalog, %I, pg_temp', current_schema());
   END $$`,
];
