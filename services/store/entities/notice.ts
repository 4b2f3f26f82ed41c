import { defineEntity, p } from '@mikro-orm/core';
import type { ChannelKind } from '../../domain/delivery.ts';
import type { NoticeAbout, NoticeKind, NoticeStatus } from '../../domain/notice.ts';

/**
 * Something the owners of an account were or will be notified of. Written by the engine's statements, read through here.
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
    /** The contact to whom it goes; null: to the owners. */
    contactId: p.text().nullable(),
    about: p.json<NoticeAbout>(),
    at: p.datetime(),
    /** When it was decided to whom it goes; null: not yet. */
    plannedAt: p.datetime().nullable(),
  },
});

/** A notice on its way to one owner over one channel. */
export const NoticeDelivery = defineEntity({
  name: 'NoticeDelivery',
  tableName: 'notice_delivery',
  properties: {
    accountId: p.text().primary(),
    id: p.text().primary(),
    seq: p.bigint('string').autoincrement(),
    noticeId: p.text(),
    /** Null: to no owner but to the contact. */
    memberId: p.text().nullable(),
    /** Null: to the member's email; else the contact that the member is too. */
    contactId: p.text().nullable(),
    channel: p.text().$type<ChannelKind>(),
    status: p.text().$type<NoticeStatus>(),
    reason: p.text().nullable(),
  },
});
