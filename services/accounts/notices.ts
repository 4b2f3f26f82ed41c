import type { EntityManager, InferEntity } from '@mikro-orm/postgresql';
import { noticeOutcome } from '../domain/notice.ts';
import { shownTimes } from '../process/wall-clock.ts';
import { pageAsked, pageOf } from '../rpc/pages.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { readersLanguage } from '../rpc/reader.ts';
import { Member } from '../store/entities/member.ts';
import { Notice, NoticeDelivery } from '../store/entities/notice.ts';
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
  const within = { accountId, contactId: null, ...(before !== '0' && { seq: { $lt: before } }) };
  const found = await em.find(Notice, within, { orderBy: { seq: 'desc' }, limit: size + 1 });
  const { page, nextPageToken } = pageOf(found, size, ({ seq }) => seq);
  const ofPage = { accountId, noticeId: { $in: page.map(({ id }) => id) } };
  const [deliveries, members] = await Promise.all([
    em.fork().find(NoticeDelivery, ofPage, { orderBy: { seq: 'asc' } }),
    em.fork().find(Member, { accountId }, { fields: ['id', 'name'] }),
  ]);
  const byNotice = Map.groupBy(deliveries, ({ noticeId }) => noticeId);
  const names = new Map(members.map(({ id, name }) => [id, name]));
  return {
    notices: page.map(notice => view(notice, byNotice.get(notice.id) ?? [], names)),
    nextPageToken,
  };
}

function view(
  { id, kind, incidentId, about, at, plannedAt }: InferEntity<typeof Notice>,
  deliveries: readonly InferEntity<typeof NoticeDelivery>[],
  names: ReadonlyMap<string, string>,
) {
  const told = deliveries.map(({ memberId, channel, status, reason }) => ({
    name: names.get(memberId ?? '') ?? '',
    channel,
    status,
    reason: reason ?? '',
  }));
  return {
    id,
    kind,
    incidentId: incidentId ?? '',
    at: protoTime(at),
    ...noticeOutcome(plannedAt === null ? 'not_planned' : 'planned', told),
    deliveries: told,
    explanation: explainNotice(kind, shownTimes(about), { locale: readersLanguage(), timeZone: ZONE }),
  };
}
