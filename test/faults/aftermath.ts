import { eventually } from '../support/wait.ts';
import { type Answer, type Mortal, PATIENCE_MS } from './mortal.ts';

/* What became of calls, incidents and messages after a kill, asked of the product and of its database. */

/** Waits until a call is known to have come to this. */
export async function becomes(mortal: Mortal, answer: Answer, outcome: string): Promise<void> {
  await eventually(async () => (await mortal.call(answer)).outcome === outcome, {
    what: `a call to become ${outcome}`,
    within: PATIENCE_MS,
  });
}

/** Live ones: the demo rehearses in test. `after_s`: seconds from their last trigger to their opening. */
export function incidentsOf(mortal: Mortal, sourceId: string) {
  return mortal.rows(
    `SELECT id, status, extract(epoch FROM opened_at - last_trigger_at)::float8 AS after_s
     FROM incident WHERE source_id = $1 AND environment = 'live'`,
    [sourceId],
  );
}

/** Of one incident, in the order of the steps. */
export function deliveriesOf(mortal: Mortal, incidentId: string) {
  return mortal.rows<{ step: number; status: string }>(
    'SELECT step, status, attempt FROM delivery WHERE incident_id = $1 ORDER BY step',
    [incidentId],
  );
}

/** The steps, from 0, of which the message has this status. */
export async function stepsOf(mortal: Mortal, incidentId: string, status: string): Promise<number[]> {
  return (await deliveriesOf(mortal, incidentId)).filter(row => row.status === status).map(row => row.step);
}

/**
 * Waits until so many messages of an incident are sent, and recorded so. To be done before the clock moves on far: a mail
 * that takes longer than its lease goes out twice, as it should.
 */
export async function areSent(mortal: Mortal, incidentId: string, messages: number): Promise<void> {
  await eventually(async () => (await stepsOf(mortal, incidentId, 'sent')).length >= messages, {
    what: `${messages} messages of an incident to be sent`,
    within: PATIENCE_MS,
  });
}
