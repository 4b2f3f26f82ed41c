import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { pageAsked, pageOf } from '../rpc/pages.ts';
import type { Connection } from '../store/statement.ts';
import { type ListedNotice, listNotices } from '../store/statements/notice.ts';
import { explainNotice } from '../words/notice.ts';

/** A page of what an account's owner was told, newest first. Throws INVALID_ARGUMENT for a page that is none. */
export async function noticesPage(on: Connection, accountId: string, request: { pageSize: number; pageToken: string }) {
  const { after: before, size } = pageAsked(request);
  const found = await listNotices(on, accountId, { before, limit: size + 1 });
  const { page, nextPageToken } = pageOf(found, size, ({ seq }) => seq);
  return {
    notices: page.map(view),
    nextPageToken,
  };
}

function view({ id, kind, incidentId, about, at, status, reason }: ListedNotice) {
  return {
    id,
    kind,
    incidentId: incidentId ?? '',
    at: timestampFromDate(at),
    status,
    reason: reason ?? '',
    explanation: explainNotice(kind, about),
  };
}
