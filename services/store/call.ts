import { defineEntity, p } from '@mikro-orm/core';
import type { ActionVerb, Outcome } from '../domain/decide.ts';
import type { ModeId } from '../domain/mode.ts';
import type { Environment, Verb, Verdict } from '../domain/source.ts';

/** An accepted action: first the queue, then, with its outcome, the record of the call. */
export const Action = defineEntity({
  name: 'Action',
  tableName: 'action',
  properties: {
    accountId: p.text().primary(),
    id: p.bigint('string').primary(),
    sourceId: p.text(),
    verb: p.text().$type<ActionVerb>(),
    mode: p.text().$type<ModeId>().nullable(),
    environment: p.text().$type<Environment>(),
    windowS: p.integer().default(0),
    onlyWhenArmed: p.boolean().default(false),
    traceId: p.uuid(),
    keyId: p.text().nullable(),
    actor: p.text().nullable(),
    acceptedAt: p.datetime(),
    appliedAt: p.datetime().nullable(),
    outcome: p.text().$type<Outcome>().nullable(),
    incidentId: p.text().nullable(),
    pendingId: p.bigint('string').nullable(),
  },
});

/** A call with a known key that was refused, kept within a bound per account (engine/refusals.ts). */
export const CallLog = defineEntity({
  name: 'CallLog',
  tableName: 'call_log',
  properties: {
    accountId: p.text().primary(),
    id: p.bigint('string').primary(),
    traceId: p.uuid(),
    at: p.datetime().defaultRaw('tocsin_now()'),
    keyId: p.text(),
    verb: p.text().$type<Verb>(),
    sourceId: p.text(),
    mode: p.text().nullable(),
    outcome: p.text().$type<Verdict>(),
  },
});
