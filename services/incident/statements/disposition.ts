import type { Disposition } from '../../domain/incident.ts';
import { type Connection, run, type Statement } from '../../store/statement.ts';

/** A drill is what it is. */
const statement: Statement<{ standing: 'changed' | 'as_it_was' }> = {
  name: 'set_disposition',
  text: `
WITH named AS (
  SELECT account_id, id, disposition FROM incident WHERE account_id = $1 AND id = $2 AND environment <> 'drill' FOR NO KEY UPDATE
),
changed AS (
  UPDATE incident i SET disposition = $3 FROM named n
  WHERE i.account_id = n.account_id AND i.id = n.id AND n.disposition IS DISTINCT FROM $3
  RETURNING i.account_id, i.id
),
told AS (
  INSERT INTO incident_entry (account_id, incident_id, at, kind, detail, by)
  SELECT account_id, id, tocsin_now(), 'disposition', $3, $4 FROM changed
)
SELECT CASE WHEN EXISTS (SELECT FROM changed) THEN 'changed' ELSE 'as_it_was' END AS standing FROM named`,
};

/**
 * Writes down what an incident was, as a person says, and in its timeline who said so. The last word counts. Null: there is no such
 * incident.
 */
export async function setDisposition(
  db: Connection,
  { accountId, incidentId }: { accountId: string; incidentId: string },
  disposition: Disposition,
  by: string,
): Promise<'changed' | 'as_it_was' | null> {
  const [row] = await run(db, statement, [accountId, incidentId, disposition, by]);
  return row?.standing ?? null;
}
