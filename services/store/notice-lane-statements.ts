import { type AfterAttempt, leaseS } from '../domain/delivery.ts';
import { MOST_MAILS } from '../domain/mailing.ts';
import type { NoticeAbout, NoticeKind } from '../domain/notice.ts';
import { type Connection, run, type Statement } from './statement.ts';

/** A notice that this worker has leased, with all that its email says. */
export interface LeasedNotice {
  account_id: string;
  id: string;
  kind: NoticeKind;
  incident_id: string | null;
  about: NoticeAbout;
  at: Date;
  /** Counts leases: the fence. */
  attempt: number;
  /** Attempts that were made before this one; one that a worker took with it counts. */
  tries: number;
  first_attempt_at: Date;
  /** How many of its kind in its account were mailed lately or are about to be, 0 to 20 of each (domain/mailing.ts). */
  earlier: number;
  account_name: string;
  /** Sealed (seal.ts). Null: the account has none. */
  owner_email: string | null;
}

/**
 * Leases what is due, the oldest first, before all what a worker that died was sending. What waits before a notice counts as
 * mailed already: several are leased at once, and by several workers.
 */
const leaseStatement: Statement<LeasedNotice> = {
  name: 'lease_notices',
  text: `
WITH lapsed AS (
  SELECT account_id, id FROM notice WHERE status = 'sending' AND lease_until <= (SELECT tocsin_now())
  ORDER BY lease_until LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
),
scheduled AS (
  SELECT account_id, id FROM notice WHERE status = 'scheduled' AND due_at <= (SELECT tocsin_now())
  ORDER BY due_at, seq LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
),
due AS (
  SELECT account_id, id, 1 AS lapsed FROM lapsed UNION ALL SELECT account_id, id, 0 FROM scheduled LIMIT $1
)
UPDATE notice n SET status = 'sending', attempt = n.attempt + 1, tries = n.tries + due.lapsed,
  first_attempt_at = coalesce(n.first_attempt_at, t.now), lease_until = t.now + make_interval(secs => $2)
FROM due, (SELECT tocsin_now() AS now) t, account a
WHERE n.account_id = due.account_id AND n.id = due.id AND a.id = n.account_id
RETURNING n.account_id, n.id, n.kind, n.incident_id, n.about, n.at, n.attempt, n.tries, n.first_attempt_at,
  a.name AS account_name, a.owner_email,
  (SELECT count(*) FROM (SELECT FROM notice o
    WHERE o.account_id = n.account_id AND o.kind = n.kind AND o.sent_at > t.now - make_interval(secs => $3) LIMIT $4) sent)::int
  + (SELECT count(*) FROM (SELECT FROM notice o
    WHERE o.account_id = n.account_id AND o.kind = n.kind AND o.status IN ('scheduled', 'sending') AND o.seq < n.seq
    LIMIT $4) waiting)::int AS earlier`,
};

/** Records an attempt, if this worker still owns it: a later attempt is another worker's. */
const recordStatement: Statement<{ id: string }> = {
  name: 'record_notice',
  text: `
UPDATE notice n SET status = $4, reason = $5, lease_until = NULL,
  due_at = CASE WHEN $4 = 'scheduled' THEN tocsin_now() + make_interval(secs => $6) ELSE n.due_at END,
  tries = n.tries + $7, first_attempt_at = CASE WHEN n.tries + $7 > 0 THEN n.first_attempt_at END,
  sent_at = CASE WHEN $4 = 'sent' THEN tocsin_now() END
WHERE n.account_id = $1 AND n.id = $2 AND n.attempt = $3 AND n.status = 'sending'
RETURNING n.id`,
};

/** How many milliseconds until a notice is due again; null when none is scheduled. */
const nextStatement: Statement<{ in_ms: number | null }> = {
  name: 'next_notice',
  text: `
SELECT (extract(epoch FROM least(
  (SELECT min(due_at) FROM notice WHERE status = 'scheduled'),
  (SELECT min(lease_until) FROM notice WHERE status = 'sending')
) - tocsin_now()) * 1000)::float8 AS in_ms`,
};

/** Leases at most so many notices. */
export function leaseNotices(on: Connection, limit: number): Promise<LeasedNotice[]> {
  return run(on, leaseStatement, [limit, leaseS('email'), MOST_MAILS.withinS, MOST_MAILS.most]);
}

/** Says whether it was recorded: not where the notice is no longer this worker's. A notice has no state `delivered`. */
export async function recordNotice(
  on: Connection,
  notice: LeasedNotice,
  after: AfterAttempt,
): Promise<'recorded' | 'not_ours'> {
  const rows = await run(on, recordStatement, [
    notice.account_id,
    notice.id,
    notice.attempt,
    after.status === 'delivered' ? 'sent' : after.status,
    'reason' in after ? after.reason : null,
    after.status === 'scheduled' ? after.retryAfterS : 0,
    'counts' in after && after.counts === 'not_tried' ? 0 : 1,
  ]);
  return rows.length > 0 ? 'recorded' : 'not_ours';
}

export async function nextNoticeInMs(on: Connection): Promise<number | null> {
  const [row] = await run(on, nextStatement, []);
  return row?.in_ms ?? null;
}
