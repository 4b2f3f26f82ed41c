import { defineEntity, type Opt, p } from '@mikro-orm/core';
import type { OnSilence } from '../../domain/supervision.ts';

/**
 * Whether a key or token is valid now. The columns are not qualified, because no statement joins another table here.
 */
const STATUS = `CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= tocsin_now() THEN 'expired' ELSE 'active' END`;

/**
 * An API key: gives access to /v1 for its account, or for one of its alarms. Its secrets are separate rows, because two
 * overlap during rotation.
 */
export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    accountId: p.text().primary(),
    id: p.text().primary(),
    seq: p.bigint('string').autoincrement(),
    /** The owner's own stable name for it; its id if none was chosen. */
    key: p.text().onCreate(({ id }: { id: string }) => id),
    label: p.text(),
    /** Where people alerted can look when it trips something; empty: nowhere. */
    lookUrl: p.text().default(''),
    alarmId: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('tocsin_now()'),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    lastUsedAddress: p.text().nullable(),
    lastUsedAgent: p.text().nullable(),
    supervisionS: p.integer().default(0),
    onSilence: p.text().$type<OnSilence>().default('notify'),
    aliveAt: p.datetime().nullable(),
    socketAt: p.datetime().nullable(),
    gaps: p.array().$type<number[]>().columnType('int[]').nullable(),
    gapsSince: p.datetime().nullable(),
    silentSince: p.datetime().nullable(),
    version: p.integer().version(),
    status: p.text().$type<Opt<'active' | 'expired' | 'revoked'>>().formula(STATUS),
    /** When it was read, as the deployment counts time. */
    now: p.datetime().$type<Opt<Date>>().formula('tocsin_now()'),
  },
});

/** A secret of an API key: its digest (secret.ts) and the last four characters, never the secret. */
export const ApiKeySecret = defineEntity({
  name: 'ApiKeySecret',
  tableName: 'api_key_secret',
  properties: {
    digest: p.blob().primary(),
    accountId: p.text(),
    keyId: p.text(),
    last4: p.text(),
    createdAt: p.datetime().defaultRaw('tocsin_now()'),
    endsAt: p.datetime().nullable(),
    /** Which pepper the digest was made under (secret.ts). */
    pepper: p.text(),
  },
});

/** A console token. Without an account it is the operator's, which names the account in each call. */
export const ConsoleToken = defineEntity({
  name: 'ConsoleToken',
  tableName: 'console_token',
  properties: {
    id: p.text().primary(),
    accountId: p.text().nullable(),
    seq: p.bigint('string').autoincrement(),
    digest: p.blob().unique(),
    /** As that of an API key's secret. */
    pepper: p.text(),
    label: p.text(),
    createdAt: p.datetime().defaultRaw('tocsin_now()'),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    status: p.text().$type<Opt<'active' | 'expired' | 'revoked'>>().formula(STATUS),
  },
});
