import { Migration } from '@mikro-orm/migrations';

/**
 * What the product's role may not do itself but needs, if it does not own the tables (store/rights.ts). Each function
 * does one thing, with the owner's rights, and finds its tables in this schema, whatever the caller's search_path says.
 */
export class Roles extends Migration {
  override name = '20261122-roles';

  up(): void {
    for (const { head, signature, body } of FUNCTIONS) {
      this.addSql(`CREATE FUNCTION ${head} SECURITY DEFINER AS $$ ${body} $$`);
      this.addSql(`REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`);
      this.addSql(`DO $$ BEGIN
        EXECUTE format('ALTER FUNCTION ${signature} SET search_path = pg_catalog, %I, pg_temp', current_schema());
      END $$`);
    }
  }
}

/** Audit rows that are old enough, of each account from a number on, oldest first and at most so many. */
const removeOldAudit = {
  signature: 'tocsin_remove_old_audit(text[], bigint[], int, int)',
  head: `tocsin_remove_old_audit(accounts text[], afters bigint[], days int, most int)
    RETURNS TABLE (key text, after text, rows int) LANGUAGE plpgsql ROWS 100`,
  // Walks row by row in index order: wherever the walk ends, nothing behind it was read.
  body: `
#variable_conflict use_column
BEGIN
  IF days IS NULL OR days < 1 THEN
    RAISE EXCEPTION 'The audit is kept for a day at least.' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN QUERY
  WITH RECURSIVE walk AS (
    SELECT d.key, d.after AS number, 'begins' AS place FROM unnest(accounts, afters) AS d (key, after)
    UNION ALL
    SELECT w.key, n.number, 'row' FROM walk w CROSS JOIN LATERAL (
      SELECT t.id AS number, t.at FROM audit t WHERE t.account_id = w.key AND t.id > w.number ORDER BY t.id LIMIT 1
    ) n
    WHERE n.at < (SELECT tocsin_now()) - make_interval(days => days)
  ),
  old AS MATERIALIZED (SELECT w.key, w.number FROM walk w WHERE w.place = 'row' LIMIT most),
  gone AS (
    DELETE FROM audit t USING old o WHERE t.account_id = o.key AND t.id = o.number RETURNING t.account_id, t.id
  )
  SELECT g.account_id, max(g.id)::text, count(*)::int FROM gone g GROUP BY g.account_id;
END`,
};

/** Deletes an account. Foreign keys of what it still holds refuse. */
const deleteAccount = {
  signature: 'tocsin_delete_account(text)',
  head: 'tocsin_delete_account(account_id text) RETURNS void LANGUAGE plpgsql',
  body: 'BEGIN DELETE FROM account WHERE id = account_id; END',
};

/** Refreshes the planner's statistics after a file of thousands of things. */
const refreshStatistics = {
  signature: 'tocsin_refresh_statistics()',
  head: 'tocsin_refresh_statistics() RETURNS void LANGUAGE plpgsql',
  body: 'BEGIN ANALYZE location, contact, contact_channel, policy, source, source_state, mode; END',
};

const FUNCTIONS = [removeOldAudit, deleteAccount, refreshStatistics];
