import { Migration } from '@mikro-orm/migrations';

/** Secrets of the deployment can be changed while it works (DECISIONS.md "Changing DATA_KEY and KEY_PEPPER"). */
export class Rotation extends Migration {
  override name = '20261126-rotation';

  up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

/** Everything but what was sealed: that alone may differ after an address was sealed anew. */
const unsealed = (text: string) => `regexp_replace(${text}, 'v1\\.[A-Za-z0-9_-]{8}\\.[A-Za-z0-9_.-]*', 'v1', 'g')`;

const statements = [
  // How far each secret is. `key_id` names the one that is moved to.
  `CREATE TABLE rotation (
     what text PRIMARY KEY CHECK (what IN ('DATA_KEY', 'KEY_PEPPER')),
     key_id text NOT NULL,
     moved bigint NOT NULL DEFAULT 0,
     done_at timestamptz
   )`,
  // Which pepper a digest was made under; null: one from before there was more than one.
  'ALTER TABLE api_key_secret ADD COLUMN pepper text',
  'ALTER TABLE console_token ADD COLUMN pepper text',
  // With the rights of the tables' owner, because of the audit others may only add and read: nothing but what is sealed
  // in it may become something else.
  `CREATE FUNCTION tocsin_reseal_audit(changed json) RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS $$
   DECLARE moved int;
   BEGIN
     UPDATE audit a SET before = r.new_before, after = r.new_after
     FROM json_to_recordset(changed) AS r (account_id text, id bigint, before jsonb, after jsonb, new_before jsonb, new_after jsonb)
     WHERE a.account_id = r.account_id AND a.id = r.id
       AND a.before IS NOT DISTINCT FROM r.before AND a.after IS NOT DISTINCT FROM r.after
       AND ${unsealed('a.before::text')} IS NOT DISTINCT FROM ${unsealed('r.new_before::text')}
       AND ${unsealed('a.after::text')} IS NOT DISTINCT FROM ${unsealed('r.new_after::text')};
     GET DIAGNOSTICS moved = ROW_COUNT;
     RETURN moved;
   END $$`,
  'REVOKE ALL ON FUNCTION tocsin_reseal_audit(json) FROM PUBLIC',
  // Its tables are those of this schema, whatever the caller's search_path says.
  `DO $$ BEGIN
     EXECUTE format('ALTER FUNCTION tocsin_reseal_audit(json) SET search_path = pg_catalog, %I, pg_temp', current_schema());
   END $$`,
];
