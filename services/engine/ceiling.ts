import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type CeilingVerdict, type ChargedAlert, ceilingVerdict, isCharged, sourceShare } from '../domain/spend.ts';
import { type CeilingNow, readCeiling } from '../store/ceiling-statement.ts';
import type { LeasedDelivery } from '../store/delivery-statements.ts';
import { newId } from '../store/id.ts';
import { noWrites, writeAll } from '../store/write-statements.ts';
import { stoppedByCeiling } from './metrics.ts';

/**
 * Says whether a leased message still goes, by what texts and calls have cost today (DECISIONS.md "Spending ceiling"). What does
 * not is told to the owner, once a day for the account and for each source, and to the operator by the log and a metric.
 */
export function createCeiling(on: { pool: Pool; log: Logger; onNotice(): void }) {
  const { pool, log } = on;

  /** Better a text too much than an alert that waits for a bill: what cannot be read does not stop it. */
  async function read(delivery: LeasedDelivery, alert: ChargedAlert): Promise<CeilingNow | null> {
    const { account_id: accountId, id } = delivery;
    return readCeiling(pool, { accountId, id }, alert).catch(error => {
      log.warn({ err: error, delivery: id }, 'what is spent could not be read: the message goes');
      return null;
    });
  }

  async function tell(delivery: LeasedDelivery, over: Exclude<CeilingVerdict, 'goes'>, now: CeilingNow): Promise<void> {
    const { account_id: account, source_id: source, id } = delivery;
    stoppedByCeiling.inc({ by: over });
    log.error({ account, source, delivery: id, by: over }, 'a text or call was stopped by the spending ceiling');
    try {
      await writeAll(pool, { ...noWrites(), notices: [noticeOf(delivery, over, now)] });
      on.onNotice();
    } catch (error) {
      // The next message that is stopped tells it; this one goes over to another channel now.
      log.warn({ err: error, account }, 'the owner could not be told of the spending ceiling');
    }
  }

  return async (delivery: LeasedDelivery): Promise<CeilingVerdict> => {
    const { channel, contact_id: contactId, source_id: sourceId } = delivery;
    if (!isCharged(channel)) return 'goes';
    const alert = { channel, contactId, sourceId };
    const now = await read(delivery, alert);
    if (now === null) return 'goes';
    const verdict = ceilingVerdict({ alert, ...now });
    if (verdict !== 'goes') await tell(delivery, verdict, now);
    return verdict;
  };
}

function noticeOf(
  { account_id, source_id, incident_id, copy }: LeasedDelivery,
  over: Exclude<CeilingVerdict, 'goes'>,
  { day, now, accountCents, sourceCents, ceilingCents }: CeilingNow,
) {
  const notice = { account_id, id: newId(), kind: 'spend_ceiling' as const, at: now.toISOString() };
  if (over === 'over_ceiling') {
    return { ...notice, once: day, incident_id: null, about: { cents: accountCents, ceilingCents } };
  }
  const about = { cents: sourceCents, ceilingCents: sourceShare(ceilingCents), sourceName: copy.sourceName };
  return { ...notice, once: `${day} ${source_id}`, incident_id, about };
}
