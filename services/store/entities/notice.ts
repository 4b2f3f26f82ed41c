import { defineEntity, p } from '@mikro-orm/core';
import type { NoticeAbout, NoticeKind } from '../../domain/notice.ts';

/** Something that the owner of an account was told, or is about to be. Written by the engine's statements, read through here. */
export const Notice = defineEntity({
  name: 'Notice',
  tableName: 'notice',
  properties: {
    accountId: p.text().primary(),
    id: p.text().primary(),
    /** Order in which they came up. */
    seq: p.bigint('string').autoincrement(),
    kind: p.text().$type<NoticeKind>(),
    incidentId: p.text().nullable(),
    about: p.json<NoticeAbout>(),
    at: p.datetime(),
    status: p.text(),
    reason: p.text().nullable(),
  },
});
