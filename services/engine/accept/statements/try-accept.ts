import type { Pool } from 'pg';
import { LOCKS } from '../../../store/lock.ts';
import { inTransaction, run, type Statement } from '../../../store/statement.ts';

const lockStatement: Statement<object> = {
  name: 'try_accept_lock',
  text: `SELECT pg_advisory_xact_lock(${LOCKS.accept})`,
};

/** No group has such a number (tocsin_accept_group), and outside of its transaction the row is never seen. */
const writeStatement: Statement<object> = {
  name: 'try_accept_write',
  text: "INSERT INTO journal (id, at, calls) VALUES (-1, '-infinity', '[]')",
};

const removeStatement: Statement<object> = {
  name: 'try_accept_remove',
  text: 'DELETE FROM journal WHERE id = -1',
};

/**
 * Does what accepting a call takes, and leaves nothing behind: the lock, a row in the journal, a durable commit, on a standby too
 * where one has to have it. Throws what keeps calls from being accepted.
 */
export function tryAccepting(pool: Pool): Promise<void> {
  return inTransaction(pool, async client => {
    for (const statement of [lockStatement, writeStatement, removeStatement]) await run(client, statement, []);
  });
}
