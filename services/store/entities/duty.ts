import { defineEntity, p } from '@mikro-orm/core';
import type { DutyException, DutyHours, Who } from '../../domain/duty.ts';

/** Who is on duty when (domain/duty.ts). An incident keeps whom it found, so edits never affect a running escalation. */
export const Duty = defineEntity({
  name: 'Duty',
  tableName: 'duty',
  properties: {
    accountId: p.text().primary(),
    id: p.text().primary(),
    seq: p.bigint('string').autoincrement(),
    /** The owner's own stable name for it; its id if none was chosen. */
    key: p.text().onCreate(({ id }: { id: string }) => id),
    name: p.text(),
    timeZone: p.text(),
    hours: p.json<DutyHours[]>(),
    otherwise: p.json<Who>(),
    exceptions: p.json<DutyException[]>(),
    /** Whether those who come on duty are told. */
    tell: p.boolean().default(true),
    /** Everybody whom it names, for what has to find them. */
    contactIds: p.array(),
    /** When whoever is on duty is looked at next, by clocks (engine/watch/duties.ts). Null: nothing changes. */
    lookAt: p.datetime().nullable(),
    /** Who was on duty when it was last looked at; null: it was not. */
    onDuty: p.array().nullable(),
    /** Of the secret in the address of its feed; null: it has none. */
    feedDigest: p.blob().nullable(),
    version: p.integer().version(),
  },
});
