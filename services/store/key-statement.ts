/** Why a known key does not open anything. Null: it does. `x` is the secret, `k` the key, `t.now` the time. */
export const KEY_FAULT = `CASE
    WHEN k.id IS NULL THEN 'key_unknown'
    WHEN k.revoked_at IS NOT NULL THEN 'key_revoked'
    WHEN x.ends_at <= t.now OR k.expires_at <= t.now THEN 'key_expired'
  END`;

/** The key that a digest ($1) belongs to, with its reach: for every statement that reads on behalf of one key. */
export const READING_KEY = `
  SELECT k.account_id, k.id AS key_id, k.alarm_id, ${KEY_FAULT} AS fault
  FROM (SELECT tocsin_now() AS now) t
  CROSS JOIN api_key_secret x
  JOIN api_key k ON k.account_id = x.account_id AND k.id = x.key_id
  WHERE x.digest = $1`;
