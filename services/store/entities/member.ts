import { defineEntity, p } from '@mikro-orm/core';
import type { Role } from '../../domain/role.ts';

/** A person with access to an account. */
export const Member = defineEntity({
  name: 'Member',
  tableName: 'member',
  properties: {
    accountId: p.text().primary(),
    id: p.text().primary(),
    seq: p.bigint('string').autoincrement(),
    version: p.integer().version(),
    /** Sealed (seal.ts), in lower case. */
    email: p.text(),
    emailDigest: p.blob(),
    name: p.text(),
    role: p.text().$type<Role>(),
    invitedAt: p.datetime().defaultRaw('tocsin_now()'),
    lastSeenAt: p.datetime().nullable(),
    /** Since when the address is known to be theirs: until then they are told nothing of the account. */
    confirmedAt: p.datetime().nullable(),
    /** When they were last invited by mail, which asks them to confirm it. */
    askedAt: p.datetime().nullable(),
  },
});

/** One sign-in on one device, by a person or with a console token; each is identified by its digest. */
export const ConsoleSession = defineEntity({
  name: 'ConsoleSession',
  tableName: 'console_session',
  properties: {
    id: p.text().primary(),
    digest: p.blob(),
    person: p.blob().nullable(),
    tokenDigest: p.blob().nullable(),
    agent: p.text(),
    address: p.text(),
    createdAt: p.datetime().defaultRaw('tocsin_now()'),
    lastSeenAt: p.datetime().defaultRaw('tocsin_now()'),
    expiresAt: p.datetime(),
  },
});
