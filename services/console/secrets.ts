import { newSecret, secretDigest } from '../store/secret.ts';
import type { Connection, Statement } from '../store/statement.ts';
import { run } from '../store/statement.ts';

const addStatement: Statement<never> = {
  name: 'add_key_secret',
  text: `
INSERT INTO api_key_secret (digest, account_id, key_id, last4, created_at) VALUES ($1, $2, $3, $4, tocsin_now())`,
};

/** Secrets that end later than the new overlap end with it; those that end sooner are left alone. */
const endOthersStatement: Statement<never> = {
  name: 'end_other_key_secrets',
  text: `
UPDATE api_key_secret SET ends_at = tocsin_now() + make_interval(secs => $3)
WHERE account_id = $1 AND key_id = $2 AND digest <> $4
  AND (ends_at IS NULL OR ends_at > tocsin_now() + make_interval(secs => $3))`,
};

/** A key, and under which pepper its secrets are digested. */
export interface SecretOf {
  accountId: string;
  keyId: string;
  pepper: string;
}

/**
 * Gives an API key a secret: a fresh one, or one that its owner chose (of the right shape; a digest that any key has had
 * before is refused by the table's primary key). Gives it back, to be shown this once; only its digest is stored.
 */
export async function addSecret(on: Connection, of: SecretOf, secret = newSecret('toc')): Promise<string> {
  await run(on, addStatement, [secretDigest(of.pepper, secret), of.accountId, of.keyId, secret.slice(-4)]);
  return secret;
}

/** Lets all other secrets of the key end after so many seconds (DECISIONS.md "Key format": rotate). */
export async function endOtherSecrets(on: Connection, of: SecretOf, secret: string, overlapS: number): Promise<void> {
  await run(on, endOthersStatement, [of.accountId, of.keyId, overlapS, secretDigest(of.pepper, secret)]);
}
