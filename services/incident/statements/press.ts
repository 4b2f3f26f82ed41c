import type { Pool } from 'pg';
import type { Environment } from '../../domain/source.ts';
import { environmentAt } from '../../store/source-sql.ts';
import { type Connection, inTransaction, run, type Statement } from '../../store/statement.ts';
import { PLACES } from '../../store/statements/journal.ts';

/** A panic button as a press of it is judged. */
export interface PressedButton {
  id: string;
  name: string;
  standing: 'enabled' | 'disabled' | 'deactivated';
  environment: Environment;
}

/** An id takes precedence over an equal key. */
const buttonStatement: Statement<PressedButton> = {
  name: 'button_pressed',
  text: `
SELECT s.id, s.name, ${environmentAt()} AS environment,
  CASE WHEN s.disabled THEN 'disabled' WHEN s.deactivated THEN 'deactivated' ELSE 'enabled' END AS standing
FROM source s JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
WHERE s.account_id = $1 AND s.kind = 'panic_button' AND s.deleted_at IS NULL AND (s.id = $2 OR s.key = $2)
ORDER BY s.id = $2 DESC LIMIT 1`,
};

/** Returns a panic button of an account by its id or key; null if there is none. */
export async function readButton(db: Connection, accountId: string, named: string): Promise<PressedButton | null> {
  const [row] = await run(db, buttonStatement, [accountId, named]);
  return row ?? null;
}

/** One press of a panic button; `traceId`: what it is found by, of which no other press has the same. */
export interface Pressed {
  accountId: string;
  sourceId: string;
  traceId: string;
  actor: string;
}

/** Whether a press of the source `s` is stored already: an applied action leaves the queue for the log at one moment. */
const KNOWN = `(EXISTS (SELECT FROM queued_action q WHERE q.source_seq = s.seq AND q.trace_id = $3)
    OR EXISTS (SELECT FROM logged_call c WHERE c.trace_id = $3 AND c.source_seq = s.seq))`;

const knownStatement: Statement<{ known: boolean }> = {
  name: 'press_known',
  text: `SELECT ${KNOWN} AS known FROM source s WHERE s.account_id = $1 AND s.id = $2`,
};

/** Tells whether a press is stored, applied or not. */
export async function isPressKnown(db: Connection, { accountId, sourceId, traceId }: Pressed): Promise<boolean> {
  const [row] = await run(db, knownStatement, [accountId, sourceId, traceId]);
  return row?.known === true;
}

/** The same press comes twice at once where its first answer was late. */
const turnStatement: Statement<never> = {
  name: 'press_turn',
  text: "SELECT pg_advisory_xact_lock(hashtextextended('press ' || $1, 0))",
};

/**
 * Judged in the moment in which it is stored, as a call is: live or in test, and not at all where the button is off. It waits for no
 * other action of its account, but where its source cannot be applied, as long as that rests.
 */
const storeStatement: Statement<{ is: 'stored' }> = {
  name: 'store_press',
  text: `
INSERT INTO queued_action (account_id, source_seq, id, due_at, verb, environment, trace_id, actor, accepted_at)
SELECT s.account_id, s.seq, nextval('journal_number') * ${PLACES}, coalesce(
    (SELECT CASE WHEN q.failing_since IS NOT NULL THEN q.due_at END
      FROM queued_action q WHERE q.source_seq = s.seq ORDER BY q.id LIMIT 1), '-infinity'),
  'trigger', ${environmentAt('t.now')}, $3, $4, t.now
FROM source s JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
CROSS JOIN (SELECT tocsin_now() AS now) t
WHERE s.account_id = $1 AND s.id = $2 AND s.deleted_at IS NULL AND NOT (s.disabled OR s.deactivated) AND NOT ${KNOWN}
RETURNING 'stored' AS is`,
};

/** Stores a press once. `refused`: its button has been switched off or deleted meanwhile. */
export function storePress(pool: Pool, press: Pressed): Promise<'stored' | 'known' | 'refused'> {
  return inTransaction(pool, async client => {
    await run(client, turnStatement, [press.traceId]);
    const { accountId, sourceId, traceId, actor } = press;
    const [stored] = await run(client, storeStatement, [accountId, sourceId, traceId, actor]);
    if (stored !== undefined) return stored.is;
    return (await isPressKnown(client, press)) ? 'known' : 'refused';
  });
}
