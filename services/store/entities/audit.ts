import { defineEntity, p } from '@mikro-orm/core';
import type { ActorKind } from '../../domain/actor.ts';

/** The resources that owners configure, as audit, configuration file and messages name them. */
export const KINDS = [
  'account',
  'location',
  'contact',
  'duty',
  'policy',
  'alarm',
  'panic_button',
  'api_key',
  'token',
  'member',
] as const;

export type AuditKind = (typeof KINDS)[number];

export type ChangeAction = 'create' | 'update' | 'delete' | 'rotate' | 'revoke';

/**
 * One change of the configuration: who, when, before and after. Addresses of people are sealed (seal.ts), secrets left
 * out. Rows are added and never changed; they are removed when they are too old, or when the remains of a deleted
 * account are erased.
 */
export const Audit = defineEntity({
  name: 'Audit',
  tableName: 'audit',
  properties: {
    accountId: p.text().primary(),
    id: p.bigint('string').primary(),
    at: p.datetime(),
    actor: p.text(),
    actorKind: p.text().$type<ActorKind>(),
    actorTokenId: p.text().nullable(),
    actorMemberId: p.text().nullable(),
    kind: p.text().$type<AuditKind>(),
    thingId: p.text(),
    name: p.text(),
    action: p.text().$type<ChangeAction>(),
    before: p.json<object>().nullable(),
    after: p.json<object>().nullable(),
  },
});
