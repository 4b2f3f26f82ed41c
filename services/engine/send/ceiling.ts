import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type CeilingVerdict, ceilingVerdict, isCharged, sourceShare } from '../../domain/spend.ts';
import { newId } from '../../store/id.ts';
import type { LeasedDelivery } from '../../store/statements/delivery.ts';
import { noWrites, writeAll } from '../../store/statements/write.ts';
import { stoppedByCeiling } from '../metrics.ts';
import { type CeilingNow, readCeilings } from './statements/ceiling.ts';

/**
 * A leased message with the cost of its account's texts and calls at the time of the lease; null if it is neither, or
 * the cost is unknown.
 */
export type Costed = LeasedDelivery & { ceiling: CeilingNow | null };

/**
 * Decides whether a leased message may still go, by today's cost of texts and calls (DECISIONS.md "Spending ceiling").
 * A stopped message is reported to the owner, once a day for the account and for each source, and to the operator by
 * the log and a metric.
 */
export function createCeiling(deps: { pool: Pool; log: Logger; onNotice(): void }) {
  const { pool, log } = deps;

  /** Returns whether a message may go, by what was read at its lease. */
  function verdict({ ceiling: now, channel, contactId, incident: { sourceId } }: Costed): CeilingVerdict {
    if (now === null || !isCharged(channel)) return 'goes';
    return ceilingVerdict({ alert: { channel, contactId, sourceId }, ...now });
  }

  /** Reports a message that the ceiling stops. */
  async function tell(delivery: Costed): Promise<void> {
    const over = verdict(delivery);
    const { accountId: account, id, ceiling: now } = delivery;
    if (over === 'goes' || now === null) return;
    const source = delivery.incident.sourceId;
    stoppedByCeiling.inc({ by: over });
    log.error({ account, source, delivery: id, by: over }, 'a text or call was stopped by the spending ceiling');
    try {
      await writeAll(pool, { ...noWrites(), notices: [noticeOf(delivery, over, now)] });
      deps.onNotice();
    } catch (error) {
      // The next message that is stopped reports it; this one switches to another channel now.
      log.warn({ err: error, account }, 'the owner could not be told of the spending ceiling');
    }
  }

  return {
    /**
     * Reads the cost for a whole lease at once: read one by one, messages would start in the order in which answers
     * arrive.
     */
    async read(leased: readonly LeasedDelivery[]): Promise<Costed[]> {
      const charged = leased.filter(({ channel }) => isCharged(channel));
      const known = await readCeilings(pool, charged).catch(error => {
        // Better one text too many than an alert that waits for a bill.
        log.warn({ err: error, messages: charged.length }, 'what is spent could not be read: the messages go');
        return new Map<string, CeilingNow>();
      });
      return leased.map(delivery => ({ ...delivery, ceiling: known.get(delivery.id) ?? null }));
    },

    verdict,
    tell,
  };
}

function noticeOf(
  { accountId, incident }: LeasedDelivery,
  over: Exclude<CeilingVerdict, 'goes'>,
  { day, now, accountCents, sourceCents, ceilingCents, buttonCapCents }: CeilingNow,
) {
  const notice = { accountId, id: newId(), kind: 'spend_ceiling' as const, at: now.getTime() };
  if (over === 'over_ceiling') {
    return { ...notice, once: day, incidentId: null, about: { cents: accountCents, ceilingCents } };
  }
  const share = sourceShare({ ceilingCents, buttonCapCents });
  const about = { cents: sourceCents, ceilingCents: share, sourceName: incident.copy.sourceName };
  return { ...notice, once: `${day} ${incident.sourceId}`, incidentId: incident.id, about };
}
