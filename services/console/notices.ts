import type { EntityManager, InferEntity } from '@mikro-orm/postgresql';
import { shownOpening } from '../process/wall-clock.ts';
import { pageAsked, pageOf } from '../rpc/pages.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { readersLanguage } from '../rpc/reader.ts';
import { Notice } from '../store/entities/notice.ts';
import { explainNotice } from '../words/notice.ts';

/** The zone in which the console says when something was: it shows each notice with its own time. */
const ZONE = 'UTC';

/** Returns a page of an account's notices, newest first. Throws INVALID_ARGUMENT for an invalid page token. */
export async function noticesPage(
  em: EntityManager,
  accountId: string,
  request: { pageSize: number; pageToken: string },
) {
  const { after: before, size } = pageAsked(request);
  const within = { accountId, ...(before !== '0' && { seq: { $lt: before } }) };
  const found = await em.find(Notice, within, { orderBy: { seq: 'desc' }, limit: size + 1 });
  const { page, nextPageToken } = pageOf(found, size, ({ seq }) => seq);
  return {
    notices: page.map(view),
    nextPageToken,
  };
}

function view({ id, kind, incidentId, about, at, status, reason }: InferEntity<typeof Notice>) {
  return {
    id,
    kind,
    incidentId: incidentId ?? '',
    at: protoTime(at),
    status,
    reason: reason ?? '',
    explanation: explainNotice(kind, shownOpening(about), { locale: readersLanguage(), timeZone: ZONE }),
  };
}
