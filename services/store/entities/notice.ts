import { defineEntity, p } from '@mikro-orm/core';
import type { NoticeAbout, NoticeKind } from '../../domain/notice.ts';

/**
 * Something the owner of an account was or will be notified of. Written by the engine's statements, read through here.
 */
export const Notice = defineEntity({
  name: 'Notice',
  tableName: 'notice',
  properties: {
    accountId: p.text().primary(),
    id: p.text().primary(),
    /** The order in which they occurred. */
    seq: p.bigint('string').autoincrement(),
    kind: p.text().$type<NoticeKind>(),
    incidentId: p.text().nullable(),
    about: p.json<NoticeAbout>(),
    at: p.datetime(),
    status: p.text(),
    reason: p.text().nullable(),
  },
});
