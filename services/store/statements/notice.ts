import type { NoticeAbout, NoticeKind } from '../../domain/notice.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/** Something that the owner of an account was told, or is about to be. */
export interface ListedNotice {
  /** Order in which they came up. */
  seq: string;
  id: string;
  kind: NoticeKind;
  incidentId: string | null;
  about: NoticeAbout;
  at: Date;
  status: 'scheduled' | 'sending' | 'sent' | 'failed' | 'outbox';
  reason: string | null;
}

const listStatement: Statement<ListedNotice> = {
  name: 'list_notices',
  text: `
SELECT seq, id, kind, incident_id AS "incidentId", about, at, status, reason FROM notice
WHERE account_id = $1 AND ($2::bigint = 0 OR seq < $2::bigint) ORDER BY seq DESC LIMIT $3`,
};

/** The notices of an account before the place `before` (a `seq`; `0`: all), newest first. */
export function listNotices(
  on: Connection,
  accountId: string,
  { before, limit }: { before: string; limit: number },
): Promise<ListedNotice[]> {
  return run(on, listStatement, [accountId, before, limit]);
}
