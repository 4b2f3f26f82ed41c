import { defineEntity, p } from '@mikro-orm/core';
import type { ActionVerb, Outcome } from '../domain/action.ts';
import type { Via } from '../domain/incident.ts';
import type { ModeId } from '../domain/mode.ts';
import type { Environment, Verdict } from '../domain/source.ts';

/** An accepted action that waits to be applied: the queue of its source. Written by the accept statement. */
export const Action = defineEntity({
  name: 'Action',
  tableName: 'action',
  properties: {
    accountId: p.text().primary(),
    sourceId: p.text().primary(),
    id: p.bigint('string').primary(),
    verb: p.text().$type<ActionVerb>(),
    mode: p.text().$type<ModeId>().nullable(),
    environment: p.text().$type<Environment>(),
    windowS: p.integer().default(0),
    onlyWhenArmed: p.boolean().default(false),
    traceId: p.uuid(),
    keyId: p.text().nullable(),
    incidentId: p.text().nullable(),
    actor: p.text().nullable(),
    via: p.text().$type<Via>().nullable(),
    contactId: p.text().nullable(),
    acceptedAt: p.datetime(),
  },
});

/** What became of a call: one that was applied, or one that was refused with a known key. Bounded per account. */
export const CallLog = defineEntity({
  name: 'CallLog',
  tableName: 'call_log',
  properties: {
    accountId: p.text().primary(),
    id: p.bigint('string').primary(),
    traceId: p.uuid(),
    at: p.datetime(),
    keyId: p.text().nullable(),
    actor: p.text().nullable(),
    verb: p.text().$type<ActionVerb>(),
    sourceId: p.text(),
    mode: p.text().$type<ModeId>().nullable(),
    environment: p.text().$type<Environment>().nullable(),
    outcome: p.text().$type<Outcome | Exclude<Verdict, 'accepted'>>(),
    appliedAt: p.datetime().nullable(),
    incidentId: p.text().nullable(),
    pendingId: p.bigint('string').nullable(),
  },
});
