import { leaseS } from '../../domain/delivery.ts';
import { CARRIER_TRIES_MOST, type CarrierTry } from '../../domain/standing-by.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import type { LeasedDelivery } from './delivery.ts';
import { OVER } from './delivery-over.ts';

/**
 * Begins another attempt, of the same lease, at the next carrier: with a number of its own, so that what the one before reports
 * later is not taken for news of this one. Not where that one has reported meanwhile, where another worker has the message, or
 * where nobody waits for it any more.
 */
const nextStatement: Statement<{ attempt: number }> = {
  name: 'begin_at_next_carrier',
  text: `
WITH t AS MATERIALIZED (SELECT tocsin_now() AS now),
tries AS (SELECT $5::jsonb AS one),
-- Where a message was refused for good stays known: it is not asked again.
oldest AS (
  SELECT coalesce(min(e.nth)::int - 1, 0) AS at FROM delivery d, jsonb_array_elements(d.carrier_tries) WITH ORDINALITY AS e (one, nth)
  WHERE d.account_id = $1 AND d.id = $2 AND NOT e.one ? 'refused'
)
UPDATE delivery d SET attempt = d.attempt + 1, lease_until = t.now + make_interval(secs => $4),
  slot = coalesce($6, d.slot), asked_of = coalesce($7, d.asked_of), asked_at = CASE WHEN $7::text IS NULL THEN d.asked_at ELSE t.now END,
  carrier_tries = CASE WHEN jsonb_array_length(coalesce(d.carrier_tries, '[]')) < ${CARRIER_TRIES_MOST}
    THEN coalesce(d.carrier_tries, '[]') ELSE d.carrier_tries - oldest.at END || tries.one
FROM t, tries, oldest, incident i
WHERE d.account_id = $1 AND d.id = $2 AND d.attempt = $3 AND d.status = 'sending'
  AND i.account_id = d.account_id AND i.id = d.incident_id AND NOT ${OVER}
RETURNING d.attempt`,
};

const slotStatement: Statement<never> = {
  name: 'note_slot',
  text: "UPDATE delivery SET slot = $4 WHERE account_id = $1 AND id = $2 AND attempt = $3 AND status = 'sending'",
};

/** Records to which of the contact's addresses a message is about to go, unless another worker has it. */
export async function noteSlot(
  db: Connection,
  { accountId, id, attempt }: Pick<LeasedDelivery, 'accountId' | 'id' | 'attempt'>,
  slot: number,
): Promise<void> {
  await run(db, slotStatement, [accountId, id, attempt, slot]);
}

/**
 * Returns the number of the attempt begun at the next carrier, after one did not take the message; null if none is to be made. `slot`: the
 * address to which that one goes; `askedOf`: the carrier before, where it may have the message and is asked for what people answer in its app.
 */
export async function beginAtNextCarrier(
  db: Connection,
  { accountId, id, channel }: Pick<LeasedDelivery, 'accountId' | 'id' | 'channel'>,
  attempt: number,
  failed: CarrierTry,
  { slot, askedOf }: { slot: number; askedOf: string | null },
): Promise<number | null> {
  const values = [accountId, id, attempt, leaseS(channel), JSON.stringify([failed]), slot, askedOf];
  const [begun] = await run(db, nextStatement, values);
  return begun?.attempt ?? null;
}
