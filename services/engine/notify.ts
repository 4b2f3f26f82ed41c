import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Channel } from '../channels/channel.ts';
import type { OwnerNotice } from '../domain/alert.ts';
import type { AfterAttempt, AttemptOutcome } from '../domain/delivery.ts';
import { mailing } from '../domain/mailing.ts';
import { placesForNotices } from '../domain/turns.ts';
import type { Seal } from '../store/seal.ts';
import { findDueNotices, type LeasedNotice, leaseNotices, recordNotice } from '../store/statements/notice.ts';
import type { Loop } from './loop.ts';
import { noticesSent } from './metrics.ts';
import { startSendWorker } from './send-worker.ts';

/**
 * Starts notifying owners (domain/notice.ts) by email. Notices are leased, recorded and retried like the messages of
 * incidents (send-worker.ts), but few at once, so that they never take the mail server from people being alerted. A
 * notice fails at once and stays listed if its account has no owner's address, or if the owner had all the mails an
 * hour allows.
 */
export function startNotifying(engine: { email: Channel; pool: Pool; seal: Seal; log: Logger }): Loop {
  const { email, pool, seal, log } = engine;

  async function attempt(notice: LeasedNotice): Promise<AttemptOutcome> {
    if (notice.ownerEmail === null) return { kind: 'obstacle', reason: 'no_owner_email' };
    const place = mailing(notice.incidentId, notice.earlier);
    if (place === 'held_back') return { kind: 'obstacle', reason: 'held_back' };
    return email.send(seal.open(notice.ownerEmail), noticeOf(notice, place));
  }

  async function record(notice: LeasedNotice, after: AfterAttempt): Promise<void> {
    const { id, kind, incidentId: incident, attempt } = notice;
    const recorded = await recordNotice(pool, notice, after);
    if (recorded === 'recorded_and_back') worker.nudge();
    noticesSent.inc({ kind, status: after.status });
    log.info({ notice: id, kind, incident, attempt, status: after.status, recorded }, 'an owner was to be told');
  }

  const worker = startSendWorker(
    {
      name: 'notify',
      places: placesForNotices(email.atOnce),
      findDue: from => findDueNotices(pool, from),
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
    attempt: notice.tries + 1,
    firstTriedAt: notice.firstAttemptAt,
    contactName: '',
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
