import type { Reached } from '../../../domain/follow-up.ts';
import { type Connection, run, type Statement } from '../../../store/statement.ts';
import { FAILING } from '../../../store/statements/turn.ts';

/**
 * The people alerted in these incidents, in the order in which they were. What is being sent right now counts too, unless
 * it has failed before.
 */
const reachedStatement: Statement<Reached & { incidentId: string }> = {
  name: 'reached_in_incidents',
  text: `
SELECT d.incident_id AS "incidentId", d.contact_id AS "contactId", d.channel
FROM unnest($1::text[], $2::text[]) AS wanted (account_id, incident_id)
JOIN delivery d USING (account_id, incident_id)
WHERE d.kind = 'alert' AND (d.status IN ('sent', 'delivered') OR (d.status = 'sending' AND NOT ${FAILING}))
ORDER BY d.seq`,
};

export function readReached(db: Connection, incidents: readonly { accountId: string; incidentId: string }[]) {
  const values = [incidents.map(({ accountId }) => accountId), incidents.map(({ incidentId }) => incidentId)];
  return run(db, reachedStatement, values);
}
