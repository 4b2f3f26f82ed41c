import { ApiKeySecret } from '../store/entities/key.ts';
import { newRowsOf, saveRows } from '../store/save-rows.ts';
import { newSecret, type Pepper, pepperId, secretDigest } from '../store/secret.ts';
import { run, type Statement } from '../store/statement.ts';
import type { OpenAccount } from './change.ts';

/** Secrets that expire later than the new overlap end with it; those that expire sooner are left alone. */
const endOthersStatement: Statement<never> = {
  name: 'end_other_key_secrets',
  text: `
UPDATE api_key_secret SET ends_at = tocsin_now() + make_interval(secs => $3)
WHERE account_id = $1 AND key_id = $2 AND digest <> $4
  AND (ends_at IS NULL OR ends_at > tocsin_now() + make_interval(secs => $3))`,
};

/** A key in an open transaction, and the pepper under which its secrets are digested. */
export interface SecretOf extends Pick<OpenAccount, 'client' | 'em' | 'accountId'> {
  keyId: string;
  pepper: Pepper;
}

/**
 * Adds a secret to an API key: a new one, or one its owner chose (of the right format; a digest that any key has had
 * before is refused by the table's primary key). Returns it, to be shown once; only its digest is stored.
 */
export async function addSecret(of: SecretOf, secret = newSecret('toc')): Promise<string> {
  const { client, em, accountId, keyId, pepper } = of;
  const row = {
    digest: secretDigest(pepper, secret),
    accountId,
    keyId,
    last4: secret.slice(-4),
    pepper: pepperId(pepper),
  };
  await saveRows(client, em, [newRowsOf(ApiKeySecret, [row])]);
  return secret;
}

/** Ends all other secrets of the key after so many seconds (DECISIONS.md "Key format": rotate). */
export async function endOtherSecrets(of: SecretOf, secret: string, overlapS: number): Promise<void> {
  const { client, accountId, keyId, pepper } = of;
  await run(client, endOthersStatement, [accountId, keyId, overlapS, secretDigest(pepper, secret)]);
}
