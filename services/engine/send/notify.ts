import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Channel } from '../../channels/channel.ts';
import type { OwnerNotice } from '../../domain/alert.ts';
import type { AfterAttempt, AttemptOutcome, ChannelKind } from '../../domain/delivery.ts';
import { mailing } from '../../domain/mailing.ts';
import { isOfDuty, isOver } from '../../domain/notice.ts';
import { DUTIES, isCharged, priceCents, sourceShare } from '../../domain/spend.ts';
import { nextAddress, outcomeOfAddresses } from '../../domain/standing-by.ts';
import { placesForNotices } from '../../domain/turns.ts';
import { toWall } from '../../process/wall-clock.ts';
import type { Seal } from '../../store/seal.ts';
import { inTransaction } from '../../store/statement.ts';
import { addSpend, sourceSpentToday, spentToday } from '../../store/statements/spend.ts';
import type { DueMessages, LookFrom } from '../../store/statements/turn.ts';
import type { Loop } from '../loop.ts';
import { noticesSent } from '../metrics.ts';
import { type KnownTime, startSendWorker } from './send-worker.ts';
import { findDueNotices, type LeasedNotice, leaseNotices, recordNotice } from './statements/notice.ts';
import { planNotices } from './statements/notice-plan.ts';

/**
 * Starts notifying owners (domain/notice.ts). Each notice is planned first, which makes one delivery to each owner and
 * channel; these are leased, recorded and retried like the messages of incidents (send-worker.ts), but few at once, so
 * that they never take the mail server from people being alerted. A delivery fails at once and stays listed if whom it is
 * for is no owner any more, or had all the notices an hour allows, or if the time on duty that it tells of is over.
 */
export function startNotifying(engine: {
  channels: Record<ChannelKind, Channel>;
  /** The channels that have a carrier. */
  carriers: readonly ChannelKind[];
  pool: Pool;
  seal: Seal;
  clock: KnownTime;
  log: Logger;
}): Loop {
  const { channels, pool, seal, log } = engine;

  async function findDue(from: LookFrom): Promise<DueMessages> {
    const { planned, left } = await planNotices(pool, engine);
    if (left === 'some') worker.nudge();
    for (const { accountId, id, kind } of planned.filter(({ deliveries }) => deliveries === 0)) {
      noticesSent.inc({ kind, status: 'failed' });
      log.warn({ accountId, notice: id, kind }, 'somebody was to be told, and nobody listens');
    }
    return findDueNotices(pool, from);
  }

  async function attempt(notice: LeasedNotice): Promise<AttemptOutcome> {
    const { addresses, channel } = notice;
    if (addresses.length === 0) return { kind: 'obstacle', reason: 'no_longer_told' };
    if (isOver(notice, toWall(notice.now))) return { kind: 'obstacle', reason: 'outdated' };
    const place = mailing(notice, channel, notice.earlier);
    if (place === 'held_back') return { kind: 'obstacle', reason: 'held_back' };
    if (await isOverCeiling(notice)) return { kind: 'obstacle', reason: 'spend_ceiling' };
    return sendTo(addresses, address => channels[channel].send(seal.open(address), noticeOf(notice, place)));
  }

  /** Sends it to the first address; to the next one only where it is known not to be there. */
  async function sendTo(
    addresses: readonly string[],
    send: (address: string) => Promise<AttemptOutcome>,
  ): Promise<AttemptOutcome> {
    const said: AttemptOutcome[] = [];
    for (const address of addresses) {
      const outcome = await send(address);
      if (nextAddress(outcome, 'once_only') === 'stays') return outcome;
      said.push(outcome);
    }
    return outcomeOfAddresses(said);
  }

  /** Notices of duties use no more of the account's ceiling than one source may, so that those of alarms go out. */
  async function isOverCeiling({ accountId, channel, kind }: LeasedNotice): Promise<boolean> {
    if (!isCharged(channel)) return false;
    const today = await spentToday(pool, accountId);
    if (today === null || today.ceilingCents === 0) return false;
    if (today.cents + priceCents(channel, 1) > today.ceilingCents) return true;
    if (!isOfDuty(kind)) return false;
    const ofDuties = await sourceSpentToday(pool, accountId, DUTIES);
    return ofDuties + priceCents(channel, 1) > sourceShare({ ...today, buttonCapCents: 0 });
  }

  async function record(notice: LeasedNotice, after: AfterAttempt): Promise<void> {
    const { accountId, id, kind, channel, incidentId: incident, attempt, contactId } = notice;
    const about = contactId === null ? null : { sourceId: DUTIES, contactId };
    const recorded = await inTransaction(pool, async client => {
      const recorded = await recordNotice(client, notice, after);
      if (recorded !== 'not_ours' && 'units' in after) {
        await addSpend(client, { accountId, about, channel, units: after.units });
      }
      return recorded;
    });
    if (recorded === 'recorded_and_back') worker.nudge();
    noticesSent.inc({ kind, status: after.status });
    log.info(
      { notice: id, kind, channel, incident, attempt, status: after.status, recorded },
      'an owner was to be told',
    );
  }

  const worker = startSendWorker(
    {
      name: 'notify',
      clock: engine.clock,
      places: () => placesForNotices(channels.email.atOnce),
      findDue,
      lease: (turns, found) => leaseNotices(pool, turns, found),
      nthOf: ({ tries, firstAttemptAt, now }) => ({
        nth: tries + 1,
        kind: 'notice',
        sinceS: (now - firstAttemptAt) / 1000,
      }),
      attempt,
      record,
    },
    log,
  );

  return {
    nudge: worker.nudge,
    close: worker.close,
    async drain() {
      while ((await worker.drain()) === 'worked');
    },
  };
}

function noticeOf(notice: LeasedNotice, place: OwnerNotice['place']): OwnerNotice {
  return {
    purpose: 'notice',
    deliveryId: notice.id,
    accountId: notice.accountId,
    ...(notice.contactId !== null && { contactId: notice.contactId }),
    attempt: notice.tries + 1,
    firstTriedAt: notice.firstAttemptAt,
    contactName: notice.name,
    locale: notice.ownerLocale,
    timeZone: notice.ownerTimeZone,
    voice: '',
    notice: notice.kind,
    accountName: notice.accountName,
    about: notice.about,
    place,
    incidentId: notice.incidentId ?? '',
    at: notice.at,
  };
}
