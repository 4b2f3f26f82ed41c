import { defineEntity, p } from '@mikro-orm/core';
import type { Drills } from '../../domain/drill.ts';
import type { Plan } from '../../domain/plan.ts';

/** The owner of everything else: every other row carries its id. */
export const Account = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    id: p.text().primary(),
    seq: p.bigint('string').autoincrement(),
    name: p.text(),
    plan: p.text().$type<Plan>(),
    /** `demo`: the first start made it, to be looked at. */
    purpose: p.text().$type<'use' | 'demo'>().default('use'),
    createdAt: p.datetime().defaultRaw('tocsin_now()'),
    version: p.integer().version(),
    /** Sealed (seal.ts). Null if there is none. */
    ownerEmail: p.text().nullable(),
    ownerLocale: p.text().default('en'),
    ownerTimeZone: p.text().default('UTC'),
    stillHappeningS: p.integer().default(0),
    dailySpendCapCents: p.integer().default(1000),
    dailySpendCeilingCents: p.integer().default(25_000),
    drills: p.text().$type<Drills>().default('off'),
    limitsCheckedAt: p.datetime().nullable(),
  },
});
