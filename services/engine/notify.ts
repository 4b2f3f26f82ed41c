import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Channel } from '../channels/channel.ts';
import type { OwnerNotice } from '../domain/alert.ts';
import { type AttemptOutcome, afterAttempt } from '../domain/delivery.ts';
import { mailing } from '../domain/mailing.ts';
import { type LeasedNotice, leaseNotices, nextNoticeInMs, recordNotice } from '../store/notice-lane-statements.ts';
import type { Seal } from '../store/seal.ts';
import { endInGrace } from './grace.ts';
import { type LookAgain, type Loop, startLoop } from './loop.ts';
import { noticesSent } from './metrics.ts';

/** How many notices go out at once: few, so that telling owners never takes the mail server from those who are alerted. */
const AT_ONCE = 2;

/**
 * Starts telling owners what they must know (domain/notice.ts), by email, leased, recorded and tried again as the messages
 * of incidents are (deliver.ts). A notice of an account without an address of its owner, and one beyond what an owner is
 * mailed in an hour, fails at once and stays listed.
 */
export function startNotify(engine: { email: Channel; pool: Pool; seal: Seal; log: Logger }): Loop {
  const { email, pool, seal, log } = engine;
  const underWay = new Set<Promise<void>>();
  let ended = 0;
  let leftBehind: 'nothing' | 'sends' = 'nothing';

  async function look(): Promise<LookAgain> {
    const free = AT_ONCE - underWay.size;
    if (free === 0) return { inMs: Number.POSITIVE_INFINITY };
    const leased = await leaseNotices(pool, free);
    for (const notice of leased) {
      const telling = tell(notice).finally(() => {
        underWay.delete(telling);
        ended++;
        loop.nudge();
      });
      underWay.add(telling);
    }
    if (leased.length > 0) return 'now';
    return { inMs: (await nextNoticeInMs(pool)) ?? Number.POSITIVE_INFINITY };
  }

  async function tell(notice: LeasedNotice): Promise<void> {
    const { id, kind, incident_id: incident, attempt } = notice;
    try {
      const outcome = await attemptSafely(notice);
      // What the end of this process does to a send is no answer of the mail server's.
      if (leftBehind === 'sends') return;
      const after = afterAttempt(outcome, notice.tries + 1);
      const recorded = await recordNotice(pool, notice, after);
      noticesSent.inc({ kind, status: after.status });
      log.info({ notice: id, kind, incident, attempt, status: after.status, recorded }, 'an owner was to be told');
    } catch (error) {
      // The lease runs out and the notice is sent again.
      log.error({ err: error, notice: id }, 'what came of a notice could not be recorded');
    }
  }

  /** What cannot even be prepared (an address sealed with another key) is tried as often as anything else, then fails. */
  async function attemptSafely(notice: LeasedNotice): Promise<AttemptOutcome> {
    if (notice.owner_email === null) return { kind: 'obstacle', reason: 'no_owner_email' };
    const place = mailing(notice.incident_id, notice.earlier);
    if (place === 'held_back') return { kind: 'obstacle', reason: 'held_back' };
    try {
      return await email.send(seal.open(notice.owner_email), noticeOf(notice, place));
    } catch (error) {
      log.error({ err: error, notice: notice.id }, 'a notice could not be prepared');
      return { kind: 'temporary_fault', reason: error instanceof Error ? error.message : 'could not be prepared' };
    }
  }

  const loop = startLoop('notify', look, log);

  return {
    nudge: loop.nudge,
    async drain() {
      let before: number;
      do {
        before = ended;
        await loop.drain();
        await Promise.all(underWay);
      } while (ended > before);
    },
    async close() {
      await loop.close();
      if ((await endInGrace('notify', underWay, log)) === 'left') leftBehind = 'sends';
    },
  };
}

/** Owners have neither language nor time zone of their own: English, times in UTC. */
function noticeOf(notice: LeasedNotice, place: OwnerNotice['place']): OwnerNotice {
  return {
    purpose: 'notice',
    deliveryId: notice.id,
    accountId: notice.account_id,
    attempt: notice.tries + 1,
    firstTriedAt: notice.first_attempt_at.getTime(),
    contactName: '',
    locale: 'en',
    timeZone: 'UTC',
    voice: '',
    notice: notice.kind,
    accountName: notice.account_name,
    about: notice.about,
    place,
    incidentId: notice.incident_id ?? '',
    at: notice.at.getTime(),
  };
}
