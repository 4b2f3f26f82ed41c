import { eventually } from '../support/wait.ts';
import type { DeliveryRig } from './delivery-rig.ts';

/** A transaction of the product that is brought to a stand in its database. */
export interface Standstill {
  /** Resolves when one stands, with the name of its connection (PGAPPNAME of the product). */
  reached(): Promise<string>;
  /** Lets it go on, whether whoever began it lives or not. Resolves when what was asked of it is done. */
  goOn(): Promise<void>;
  /** Cuts its connection: it is rolled back. */
  cut(): Promise<void>;
}

/** Any number that the product does not use. */
const LOCK = 815;

/**
 * Brings whoever next writes a row to this table, or removes one, to a stand, right after that or at the commit: all is written then, and
 * nobody sees it yet. Whoever comes after that goes on. Once in a database.
 */
export async function standStill(
  rig: Pick<DeliveryRig, 'connection' | 'rows'>,
  { table, at, on = 'INSERT' }: { table: string; at: 'the row' | 'the commit'; on?: 'INSERT' | 'DELETE' },
): Promise<Standstill> {
  const holder = await rig.connection();
  await holder.query('SELECT pg_advisory_lock($1)', [LOCK]);
  await rig.rows(`CREATE FUNCTION test_stand() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${LOCK}); RETURN NULL; END $$`);
  const deferred = at === 'the commit' ? 'DEFERRABLE INITIALLY DEFERRED' : '';
  await rig.rows(`CREATE CONSTRAINT TRIGGER test_stand AFTER ${on} ON ${table} ${deferred}
    FOR EACH ROW EXECUTE FUNCTION test_stand()`);

  let standing = 0;
  const over = async () => {
    await holder.query('SELECT pg_advisory_unlock($1)', [LOCK]);
    const working = "SELECT FROM pg_stat_activity WHERE pid = $1 AND state = 'active'";
    await eventually(async () => (await rig.rows(working, [standing])).length === 0, {
      what: 'the transaction that stood to have done what was asked of it',
    });
  };
  return {
    async reached() {
      const waiting = `SELECT pid, application_name AS name FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'advisory' AND objid = $1 AND NOT granted`;
      const look = async () => (await rig.rows<{ pid: number; name: string }>(waiting, [LOCK]))[0];
      const { pid, name } = await eventually(look, { what: `somebody to write to ${table}` });
      standing = pid;
      return name;
    },
    goOn: over,
    async cut() {
      await rig.rows('SELECT pg_terminate_backend($1, 5000)', [standing]);
      await over();
    },
  };
}
