import { type AfterAttempt, type ChannelKind, FAILING_AFTER, leaseS } from '../../../domain/delivery.ts';
import { MOST_MAILS } from '../../../domain/mailing.ts';
import { LAST_LINE, type NoticeAbout, type NoticeKind } from '../../../domain/notice.ts';
import type { Turn, Way } from '../../../domain/turns.ts';
import { ms } from '../../../store/columns.ts';
import { type Connection, run, type Statement } from '../../../store/statement.ts';
import { isUntried, triesOf } from '../../../store/statements/delivery.ts';
import { bringFailingForward } from '../../../store/statements/failing.ts';
import {
  type DueMessages,
  dueStatement,
  findDue,
  type LookFrom,
  pickedRows,
  type TurnTable,
  turnValues,
} from '../../../store/statements/turn.ts';

/**
 * A notice to one owner over one channel, leased by this worker, with everything its message says. Times are milliseconds
 * since 1970.
 */
export interface LeasedNotice {
  accountId: string;
  /** Of the delivery. */
  id: string;
  kind: NoticeKind;
  /** The contact on a duty to whom it goes; null: to owners. */
  contactId: string | null;
  channel: ChannelKind;
  incidentId: string | null;
  about: NoticeAbout;
  at: number;
  /** Counts leases: the fence. */
  attempt: number;
  /** Attempts made before this one, including any whose worker died. */
  tries: number;
  firstAttemptAt: number;
  /** The database's time of the lease. */
  now: number;
  /** The way on which it was leased: the last line's are first messages. */
  way: Way;
  /**
   * How many of its kind in its account went to this owner over this channel recently or are about to, 0 to 20 of each
   * (domain/mailing.ts).
   */
  earlier: number;
  accountName: string;
  /** Sealed (seal.ts), in order. None if they are no confirmed owner any more, or the contact lost its verified addresses. */
  addresses: string[];
  /** Name of whom it is for, of an owner empty if they are no member any more; and how they read it. */
  name: string;
  ownerLocale: string;
  ownerTimeZone: string;
}

/** Notices have a channel of their own, separate from those of incidents. */
const CHANNEL = 'notice';

const NOTICES: TurnTable = {
  name: 'notice_delivery',
  line: `(('notice/' || account_id) COLLATE "C")`,
  channel: `'notice'`,
  first: `kind IN (${LAST_LINE.map(kind => `'${kind}'`).join(', ')}) AND tries = 0`,
  plannedAt: 'planned_at',
};

const dueStatementOfAll = dueStatement(NOTICES);

const bringForward = bringFailingForward(NOTICES);

/**
 * Leases the notices whose turn it is. Notices waiting ahead of one count as mailed already, because several are leased
 * at once, and by several workers; not those that are failing, which would keep news from whom they cannot reach. Where they go is read now: whoever was removed meanwhile is told nothing.
 */
const leaseStatement: Statement<LeasedNotice> = {
  name: 'lease_notices',
  text: `
WITH ${pickedRows(NOTICES, 'account_id, id')},
leased AS (
  UPDATE notice_delivery n SET status = 'sending', attempt = n.attempt + 1, tries = n.tries + p.lapsed,
    first_attempt_at = coalesce(n.first_attempt_at, t.now), lease_until = t.now + make_interval(secs => $8)
  FROM picked p, t WHERE n.ctid = p.tid
  RETURNING n.*, p.way, t.now
)
SELECT n.account_id AS "accountId", n.id, n.kind, n.channel, o.incident_id AS "incidentId", o.about, o.contact_id AS "contactId", ${ms('o.at')} AS at,
  n.attempt, n.tries, ${ms('n.first_attempt_at')} AS "firstAttemptAt", n.way, ${ms('n.now')} AS now, a.name AS "accountName",
  coalesce(k.name, m.name, '') AS name, CASE WHEN n.contact_id IS NOT NULL THEN ARRAY(
    SELECT c.address FROM contact_channel c
    WHERE (m.id IS NOT NULL OR k.id IS NOT NULL) AND c.account_id = n.account_id AND c.contact_id = n.contact_id
      AND c.channel = n.channel AND c.verified_at IS NOT NULL AND c.disabled_reason IS NULL ORDER BY c.position
  ) WHEN m.email IS NULL THEN '{}' ELSE ARRAY[m.email] END AS addresses,
  coalesce(k.locale, a.owner_locale) AS "ownerLocale", coalesce(k.time_zone, a.owner_time_zone) AS "ownerTimeZone",
  (SELECT count(*) FROM (SELECT FROM notice_delivery e
    WHERE e.account_id = n.account_id AND e.kind = n.kind AND coalesce(e.member_id, e.contact_id) = coalesce(n.member_id, n.contact_id) AND e.channel = n.channel
      AND e.sent_at > n.now - make_interval(secs => $9) LIMIT $10) sent)::int
  + (SELECT count(*) FROM (SELECT FROM notice_delivery e
    WHERE e.account_id = n.account_id AND e.kind = n.kind AND coalesce(e.member_id, e.contact_id) = coalesce(n.member_id, n.contact_id) AND e.channel = n.channel
      AND e.status IN ('scheduled', 'sending') AND e.tries < ${FAILING_AFTER} AND e.seq < n.seq LIMIT $10) waiting)::int AS earlier
FROM leased n
JOIN notice o ON o.account_id = n.account_id AND o.id = n.notice_id
JOIN account a ON a.id = n.account_id
LEFT JOIN member m ON m.account_id = n.account_id AND m.id = n.member_id AND m.role = 'owner' AND m.confirmed_at IS NOT NULL
LEFT JOIN contact k ON k.account_id = n.account_id AND k.id = o.contact_id
ORDER BY n.way = 'failing', CASE WHEN n.way = 'failing' THEN n.planned_at END DESC, n.due_at, n.seq`,
};

/** Records an attempt if this worker still owns it; a later attempt belongs to another worker. */
const recordStatement: Statement<{ id: string }> = {
  name: 'record_notice',
  text: `
UPDATE notice_delivery n SET status = $4, reason = $5, lease_until = NULL,
  due_at = CASE WHEN $4 = 'scheduled' THEN tocsin_now() + make_interval(secs => $6) ELSE n.due_at END,
  tries = n.tries + $7, first_attempt_at = CASE WHEN $8 <> 'not_yet' THEN n.first_attempt_at END,
  sent_at = CASE WHEN $4 = 'sent' THEN tocsin_now() END
WHERE n.account_id = $1 AND n.id = $2 AND n.attempt = $3 AND n.status = 'sending'
RETURNING n.id`,
};

/** Returns what is due (turn.ts `findDue`). */
export function findDueNotices(db: Connection, from: LookFrom): Promise<DueMessages> {
  return findDue(db, dueStatementOfAll, CHANNEL, from);
}

/** Leases the notices whose turn it is; `due` is the result of the look before. */
export function leaseNotices(db: Connection, turns: readonly Turn[], due: DueMessages): Promise<LeasedNotice[]> {
  // However they go out: no other channel takes longer than a mail.
  const values = [...turnValues(CHANNEL, turns, due), leaseS('email'), MOST_MAILS.withinS, MOST_MAILS.most];
  return run(db, leaseStatement, values);
}

/**
 * Returns whether it was recorded: not if the notice no longer belongs to this worker. Notices have no state
 * `delivered`. One that is taken after it had failed brings others of its account forward.
 */
export async function recordNotice(
  db: Connection,
  notice: LeasedNotice,
  after: AfterAttempt,
): Promise<'recorded' | 'recorded_and_back' | 'not_ours'> {
  const rows = await run(db, recordStatement, [
    notice.accountId,
    notice.id,
    notice.attempt,
    after.status === 'delivered' ? 'sent' : after.status,
    'reason' in after ? after.reason : null,
    after.status === 'scheduled' ? after.retryAfterS : 0,
    triesOf(after),
    isUntried(notice, after) ? 'not_yet' : 'made',
  ]);
  if (rows.length === 0) return 'not_ours';
  const isBack = notice.tries >= FAILING_AFTER && 'units' in after;
  if (isBack) await bringForward(db, [`${CHANNEL}/${notice.accountId}`]);
  return isBack ? 'recorded_and_back' : 'recorded';
}
