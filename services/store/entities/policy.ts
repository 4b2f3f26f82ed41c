import { defineEntity, p } from '@mikro-orm/core';
import type { ChannelKind } from '../../domain/delivery.ts';

/** A step as its owner wrote it: whom it alerts, over which of their channels, and how long after the previous step. */
export interface PolicyStep {
  delayS: number;
  contacts: PolicyContact[];
}

/** A contact, or whoever is on a duty; the other is empty or absent. */
export interface PolicyContact {
  contactId?: string;
  dutyId?: string;
  channels: ChannelKind[];
}

/** An escalation policy. An incident keeps a copy, so edits never affect a running escalation. */
export const Policy = defineEntity({
  name: 'Policy',
  tableName: 'policy',
  properties: {
    accountId: p.text().primary(),
    id: p.text().primary(),
    seq: p.bigint('string').autoincrement(),
    /** The owner's own stable name for it; its id if none was chosen. */
    key: p.text().onCreate(({ id }: { id: string }) => id),
    name: p.text(),
    steps: p.json<PolicyStep[]>(),
    repeat: p.integer().default(0),
    repeatDelayS: p.integer().default(300),
    askAgainAfterS: p.integer().default(0),
    version: p.integer().version(),
  },
});
