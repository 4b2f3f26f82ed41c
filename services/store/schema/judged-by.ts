/**
 * The version of what an account's calls are judged and applied by. Every write to those tables changes it, whoever writes: a
 * process that judges from memory compares it in the statement that stores the calls. A random value instead of a
 * counter: after a failover to a standby that missed the last moments, a count would repeat for something else.
 */
const JUDGED_BY = ['location', 'source', 'mode', 'api_key', 'api_key_secret'];

/** When a key was last used says nothing about what it gives access to. Of an account, the rules know these alone. */
const TOUCHED: Record<string, string> = {
  account: `SELECT n.id FROM new_rows n JOIN old_rows o USING (id)
    WHERE (n.plan, n.still_happening_s) IS DISTINCT FROM (o.plan, o.still_happening_s)`,
  api_key: `SELECT n.account_id FROM new_rows n JOIN old_rows o USING (account_id, id)
    WHERE (n.alarm_id, n.expires_at, n.revoked_at) IS DISTINCT FROM (o.alarm_id, o.expires_at, o.revoked_at)`,
};

const MOVE = 'UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN';

export const judgedBy = [
  `CREATE TABLE account_version (
     account_id text PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     version uuid NOT NULL DEFAULT gen_random_uuid()
   ) WITH (fillfactor = 50)`,
  `CREATE FUNCTION tocsin_begin_version() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN INSERT INTO account_version (account_id) VALUES (NEW.id); RETURN NULL; END $$`,
  `CREATE TRIGGER account_version_begin AFTER INSERT ON account
     FOR EACH ROW EXECUTE FUNCTION tocsin_begin_version()`,
  ...JUDGED_BY.flatMap(table => moved(table, ['insert', 'update', 'delete'])),
  ...moved('account', ['update']),
];

function moved(table: string, events: readonly ('insert' | 'update' | 'delete')[]): string[] {
  const touched = {
    insert: 'SELECT account_id FROM new_rows',
    update: TOUCHED[table] ?? 'SELECT account_id FROM new_rows',
    delete: 'SELECT account_id FROM old_rows',
  };
  const rows = {
    insert: 'NEW TABLE AS new_rows',
    update: 'OLD TABLE AS old_rows NEW TABLE AS new_rows',
    delete: 'OLD TABLE AS old_rows',
  };
  return events.flatMap(event => {
    const name = `tocsin_${table}_${event}`;
    return [
      // The sessions of the engine use nested loops only: ten thousand rows of one statement would take minutes.
      `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET enable_hashjoin = on AS $$
       BEGIN ${MOVE} (${touched[event]}); RETURN NULL; END $$`,
      `CREATE TRIGGER ${table}_version_${event} AFTER ${event.toUpperCase()} ON ${table}
         REFERENCING ${rows[event]} FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`,
    ];
  });
}
