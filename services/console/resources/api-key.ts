import { z } from 'zod';
import { key, name, referenceOrNone, timeOrNever } from '../fields.ts';
import type { Resource } from '../resource.ts';

const schema = z.strictObject({
  key,
  label: name,
  alarmId: referenceOrNone,
  expiresAt: timeOrNever,
});

export type ApiKeyDoc = z.infer<typeof schema>;

/** A key of /v1 without its secrets (SPEC.md 5). It is never deleted, only revoked: the calls that it made name it. */
export const apiKey: Resource<ApiKeyDoc> = {
  kind: 'api_key',
  word: 'API key',
  schema,
  nameOf: doc => doc.label,
  references(doc) {
    const take = (id: string) => {
      doc.alarmId = id;
    };
    return doc.alarmId === '' ? [] : [{ kind: 'alarm', path: 'alarmId', named: doc.alarmId, take }];
  },
  select: `
SELECT t.id, t.seq, t.version,
  json_build_object('key', t.key, 'label', t.label, 'alarmId', coalesce(t.alarm_id, ''),
    'expiresAt', coalesce(to_char(t.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '')) AS doc,
  json_build_object('createdAt', t.created_at, 'revokedAt', t.revoked_at, 'lastUsedAt', t.last_used_at,
    'lastUsedAddress', coalesce(t.last_used_address, ''), 'lastUsedAgent', coalesce(t.last_used_agent, ''),
    'status', CASE WHEN t.revoked_at IS NOT NULL THEN 'revoked' WHEN t.expires_at <= tocsin_now() THEN 'expired'
      ELSE 'active' END,
    'secrets', coalesce((
      SELECT json_agg(json_build_object('last4', x.last4, 'createdAt', x.created_at, 'endsAt', x.ends_at)
        ORDER BY x.ends_at NULLS FIRST, x.created_at DESC)
      FROM api_key_secret x WHERE x.account_id = t.account_id AND x.key_id = t.id
        AND (x.ends_at IS NULL OR x.ends_at > tocsin_now())), '[]')) AS facts
FROM api_key t WHERE t.account_id = $1`,
  rows: ({ accountId, id, doc }) => ({
    saved: {
      api_key: [
        {
          account_id: accountId,
          id,
          key: doc.key,
          label: doc.label,
          alarm_id: doc.alarmId || null,
          expires_at: doc.expiresAt || null,
        },
      ],
    },
  }),
  gone: () => ({}),
};
