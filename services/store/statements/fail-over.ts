import { copiedContact, type IncidentCopy } from '../../domain/alert.ts';
import { CHANNELS, type ChannelKind, failoverChannel } from '../../domain/delivery.ts';
import { usableChannels } from '../../domain/escalation.ts';
import { type Plan, planFacts } from '../../domain/plan.ts';
import { newId } from '../id.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { OVER } from './delivery-over.ts';

/**
 * A delivery that failed for good, with what decides whether its contact can be alerted otherwise. Times are
 * milliseconds since 1970.
 */
export interface FailedDelivery {
  accountId: string;
  id: string;
  contactId: string;
  plan: Plan;
  accountCreatedAt: number;
  /** The database's time. */
  now: number;
}

/** The channels that a step has already used for a contact. */
const usedStatement: Statement<{ channel: ChannelKind }> = {
  name: 'channels_used',
  text: `
SELECT o.channel FROM delivery d
JOIN delivery o USING (account_id, incident_id, kind, round, step, contact_id)
WHERE d.account_id = $1 AND d.id = $2`,
};

/** Adds a message on another channel in place of one that failed for good, due at once. */
const failOverStatement: Statement<{ id: string }> = {
  name: 'fail_over',
  text: `
INSERT INTO delivery (account_id, id, incident_id, kind, round, step, contact_id, channel, status, due_at, planned_at)
SELECT d.account_id, $3, d.incident_id, d.kind, d.round, d.step, d.contact_id, $4, 'scheduled', t.now, t.now
FROM delivery d JOIN incident i ON i.account_id = d.account_id AND i.id = d.incident_id
CROSS JOIN (SELECT tocsin_now() AS now) t
WHERE d.account_id = $1 AND d.id = $2 AND NOT ${OVER}
ON CONFLICT (account_id, incident_id, kind, round, step, contact_id, channel) DO NOTHING
RETURNING id`,
};

/**
 * Replaces a message that failed for good by one over the contact's first other usable channel (DECISIONS.md "A send
 * fails for good"), in the transaction that records the failure. Returns the channel on which something is due now;
 * null if there is no other of those in `among`, or the incident is over by now.
 */
export async function failOver(
  on: Connection,
  delivery: FailedDelivery,
  copy: IncidentCopy,
  among: readonly ChannelKind[] = CHANNELS,
): Promise<ChannelKind | null> {
  const { accountId, id, contactId, plan, accountCreatedAt, now } = delivery;
  const contact = copiedContact(copy, contactId);
  if (contact === null) return null;
  const usable = usableChannels(contact, planFacts(plan, accountCreatedAt), now);
  const used = await run(on, usedStatement, [accountId, id]);
  const other = failoverChannel(
    usable.filter(channel => among.includes(channel)),
    used.map(({ channel }) => channel),
  );
  if (other === null) return null;
  const rows = await run(on, failOverStatement, [accountId, id, newId(), other]);
  return rows.length > 0 ? other : null;
}
