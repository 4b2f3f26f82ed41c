import { ofOwner } from './of-owner.ts';

/** Who changed what, which stays when its account is deleted, and what remains of an account. */
const tables = [
  `CREATE TABLE audit (
     account_id text NOT NULL,
     id bigint GENERATED ALWAYS AS IDENTITY,
     at timestamptz NOT NULL DEFAULT tocsin_now(),
     actor text NOT NULL,
     actor_kind text NOT NULL CHECK (actor_kind IN ('operator', 'account', 'member', 'contact', 'config_file', 'product')),
     actor_token_id text,
     actor_member_id text,
     kind text NOT NULL,
     thing_id text NOT NULL,
     name text NOT NULL,
     action text NOT NULL CHECK (action IN ('create', 'update', 'delete', 'rotate', 'revoke')),
     before jsonb,
     after jsonb,
     PRIMARY KEY (account_id, id)
   )`,
  'CREATE INDEX audit_thing ON audit (account_id, thing_id, id)',
  // What changed a moment ago, over all accounts, for services that start (changes/catch-up.ts). The table grows at its
  // end, in the order of time: a BRIN index finds that end and costs writers next to nothing.
  'CREATE INDEX audit_recent ON audit USING brin (at) WITH (autosummarize = on)',

  // DECISIONS.md "Deleting an account". Written by a trigger: nobody deletes an account without it.
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
];

/**
 * Deletes an account that holds nothing any more: in place of foreign keys, as tombstones, keys and history outlive it
 * until they are erased.
 */
const deleteAccount = ofOwner({
  signature: 'tocsin_delete_account(text)',
  head: 'tocsin_delete_account(account_id text) RETURNS void LANGUAGE plpgsql',
  body: `
   BEGIN
     IF EXISTS (SELECT FROM location t WHERE t.account_id = $1 AND t.deleted_at IS NULL)
       OR EXISTS (SELECT FROM source t WHERE t.account_id = $1 AND t.deleted_at IS NULL)
       OR EXISTS (SELECT FROM api_key t WHERE t.account_id = $1 AND t.revoked_at IS NULL
         AND (t.expires_at IS NULL OR t.expires_at > (SELECT tocsin_now()))) THEN
       RAISE EXCEPTION 'The account still holds something.' USING ERRCODE = 'foreign_key_violation';
     END IF;
     DELETE FROM account WHERE id = $1;
   END`,
});

/**
 * The only way to remove rows before they are too old: roles that may only add rows may call it, and nobody for an
 * account that exists. Returns how many it removed, at most as many as requested.
 */
const eraseAudit = ofOwner({
  signature: 'tocsin_erase_audit(text, int)',
  head: 'tocsin_erase_audit(deleted_id text, most int) RETURNS int LANGUAGE plpgsql',
  body: `
   DECLARE removed int;
   BEGIN
     IF EXISTS (SELECT FROM account WHERE id = deleted_id) THEN
       RAISE EXCEPTION 'The account is still there.' USING ERRCODE = 'insufficient_privilege';
     END IF;
     DELETE FROM audit WHERE account_id = deleted_id
       AND id = ANY (ARRAY(SELECT id FROM audit WHERE account_id = deleted_id ORDER BY id LIMIT most));
     GET DIAGNOSTICS removed = ROW_COUNT;
     RETURN removed;
   END`,
});

/**
 * Removes audit rows that are old enough, of each account from a number on, oldest first and at most so many. Walks row
 * by row in index order: wherever the walk ends, nothing behind it was read.
 */
const removeOldAudit = ofOwner({
  signature: 'tocsin_remove_old_audit(text[], bigint[], int, int)',
  head: `tocsin_remove_old_audit(accounts text[], afters bigint[], days int, most int)
    RETURNS TABLE (key text, after text, rows int) LANGUAGE plpgsql ROWS 100`,
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
});

/** Everything but what was sealed: that alone may differ after an address was sealed anew. */
const unsealed = (text: string) => `regexp_replace(${text}, 'v1\\.[A-Za-z0-9_-]{8}\\.[A-Za-z0-9_.-]*', 'v1', 'g')`;

/** Moves what is sealed in the audit to another DATA_KEY: nothing else in it may become something else. */
const resealAudit = ofOwner({
  signature: 'tocsin_reseal_audit(json)',
  head: 'tocsin_reseal_audit(changed json) RETURNS int LANGUAGE plpgsql',
  body: `
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
   END`,
});

export const audit = [...tables, ...deleteAccount, ...eraseAudit, ...removeOldAudit, ...resealAudit];
