import { type Columns, rowsOf } from '../columns.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/** Why a known key is not valid; null if it is. `x` is the secret, `k` the key, `t.now` the time. */
export const KEY_FAULT = `CASE
    WHEN k.id IS NULL THEN 'key_unknown'
    WHEN k.revoked_at IS NOT NULL THEN 'key_revoked'
    WHEN x.ends_at <= t.now OR k.expires_at <= t.now THEN 'key_expired'
  END`;

/** The key that a digest ($1) belongs to, with its reach, for every statement that reads on behalf of one key. */
export const READING_KEY = `
  SELECT k.account_id AS "accountId", k.id AS "keyId", k.seq::float8 AS "keySeq", k.alarm_id AS "alarmId", v.version,
    ${KEY_FAULT} AS fault
  FROM (SELECT tocsin_now() AS now) t
  CROSS JOIN api_key_secret x
  JOIN api_key k ON k.account_id = x.account_id AND k.id = x.key_id
  JOIN account_version v ON v.account_id = k.account_id
  WHERE x.digest = $1`;

/** A use of a key. `address` and `agent` are what the facade saw and untrusted. */
export interface KeyUse {
  accountId: string;
  keyId: string;
  address: string;
  agent: string;
}

const USE: Columns<KeyUse> = { accountId: 'text', keyId: 'text', address: 'text', agent: 'text' };

/** At most once a minute per key, so that a busy key does not write its row all day. */
const stampStatement: Statement<never> = {
  name: 'stamp_key_uses',
  text: `
UPDATE api_key k SET last_used_at = t.now, last_used_address = r.address, last_used_agent = r.agent
FROM ${rowsOf(USE)}, (SELECT tocsin_now() AS now) t
WHERE k.account_id = r.account_id AND k.id = r.key_id
  AND (k.last_used_at IS NULL OR k.last_used_at <= t.now - interval '1 minute')`,
};

export async function stampKeyUses(db: Connection, uses: readonly KeyUse[]): Promise<void> {
  await run(db, stampStatement, [JSON.stringify(uses)]);
}
