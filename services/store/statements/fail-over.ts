import { copiedContact, type IncidentCopy } from '../../domain/alert.ts';
import type { ChannelKind } from '../../domain/delivery.ts';
import type { Plan } from '../../domain/plan.ts';
import { meansOf, standIn } from '../../domain/reach.ts';
import { newId } from '../id.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { OVER } from './delivery-over.ts';

/**
 * A delivery that failed, is failing or would not reach anybody, with what decides whether its contact can be alerted
 * otherwise. Times are
 * milliseconds since 1970.
 */
export interface FailedDelivery {
  accountId: string;
  id: string;
  contactId: string;
  step: number;
  channel: ChannelKind;
  plan: Plan;
  accountCreatedAt: number;
  /** The database's time. */
  now: number;
}

/** The channels that a step has already used for a contact. */
const usedStatement: Statement<{ channel: ChannelKind; insteadOf: ChannelKind | null }> = {
  name: 'channels_used',
  text: `
SELECT o.channel, o.instead_of AS "insteadOf" FROM delivery d
JOIN delivery o USING (account_id, incident_id, kind, round, step, contact_id)
WHERE d.account_id = $1 AND d.id = $2`,
};

/** Adds a message on another channel in place of one that reached nobody so far, due at once; only one in place of each. */
const failOverStatement: Statement<{ id: string }> = {
  name: 'fail_over',
  text: `
INSERT INTO delivery (account_id, id, incident_id, kind, round, step, contact_id, channel, status, due_at, planned_at,
  instead_of)
SELECT d.account_id, $3, d.incident_id, d.kind, d.round, d.step, d.contact_id, $4, 'scheduled', t.now, t.now, d.channel
FROM delivery d JOIN incident i ON i.account_id = d.account_id AND i.id = d.incident_id
CROSS JOIN (SELECT tocsin_now() AS now) t
WHERE d.account_id = $1 AND d.id = $2 AND NOT ${OVER}
ON CONFLICT (account_id, incident_id, kind, round, step, contact_id, channel) DO NOTHING
RETURNING id`,
};

/**
 * Adds a message over the contact's first other channel that would reach them, in place of one that failed for good or
 * has no carrier (DECISIONS.md "A send fails for good", "Would it reach"), or beside one that is failing ("A passing
 * failure"), in the transaction that records what became of it. Call it after each failure: what went over once stays so,
 * also after a crash. `carriers`: the channels that have one here. Returns the channel on which something is due now;
 * null if there is no other, or the incident is over by now.
 */
export async function failOver(
  db: Connection,
  delivery: FailedDelivery,
  copy: IncidentCopy,
  carriers: readonly ChannelKind[],
): Promise<ChannelKind | null> {
  const { accountId, id, contactId, step, now } = delivery;
  const contact = copiedContact(copy, contactId, step);
  if (contact === null) return null;
  const means = meansOf(delivery, carriers);
  if (standIn(contact, [delivery.channel], means, now) === null) return null;
  const inStep = await run(db, usedStatement, [accountId, id]);
  if (inStep.some(({ insteadOf }) => insteadOf === delivery.channel)) return null;
  const used = inStep.map(({ channel }) => channel);
  for (let other = standIn(contact, used, means, now); other !== null; other = standIn(contact, used, means, now)) {
    const rows = await run(db, failOverStatement, [accountId, id, newId(), other]);
    if (rows.length > 0) return other;
    // Another message of the step took it in the same moment, or the incident is over.
    used.push(other);
  }
  return null;
}
