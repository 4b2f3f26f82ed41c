import { eventually } from '../support/wait.ts';
import { MISCOUNTED, UNWRITTEN_FOLDS, WAITING_CALLS } from '../support/waiting.ts';
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

/**
 * Live incidents without exactly one call that opened them or exactly one alert, open ones that nobody was told of, and
 * those that count otherwise than their calls do.
 */
export function oddIncidents(mortal: Mortal) {
  return mortal.rows(`
SELECT i.id FROM incident i
WHERE i.environment = 'live' AND (
  (SELECT count(*) FROM call_log c WHERE c.incident_id = i.id AND c.outcome = 'opened') <> 1
  OR (SELECT count(*) FROM delivery d WHERE d.incident_id = i.id) <> 1
  OR (i.status = 'open' AND NOT EXISTS (SELECT FROM delivery d WHERE d.incident_id = i.id AND d.status = 'sent')))
UNION ALL SELECT id FROM (${MISCOUNTED}) m`);
}

/** What is left to do: accepted calls, folds to write, windows and mails. */
export function waitingIn(mortal: Mortal) {
  return mortal.rows(`
SELECT 'call' AS what FROM (${WAITING_CALLS}) w
UNION ALL SELECT 'fold' FROM (${UNWRITTEN_FOLDS}) f
UNION ALL SELECT 'window' FROM source_state WHERE pending_id IS NOT NULL
UNION ALL SELECT 'mail' FROM delivery WHERE status IN ('scheduled', 'sending')`);
}
