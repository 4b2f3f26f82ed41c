import { createHmac } from 'node:crypto';
import { isGuessable } from '../domain/guessable.ts';
import { type SecretKind, shapeSecret } from '../process/secret-shape.ts';
import { randomText } from './id.ts';

export { isSecret } from '../process/secret-shape.ts';

/**
 * Returns a new secret (DECISIONS.md "Key format"): its kind, 30 random base62 characters (178 bits) and 6 of CRC32.
 * Prefix and checksum let scanners find a leaked one and let us refuse a mistyped one without a look-up.
 */
export function newSecret(kind: SecretKind): string {
  return shapeSecret(kind, randomText);
}

/** Tells whether a secret that somebody chose can be guessed. One in our own format is trusted. */
export function isGuessableSecret(secret: string): boolean {
  return isGuessable(secret.slice(4, 34));
}

/** Returns what is stored instead of the secret: HMAC-SHA-256 under the pepper. 178 random bits need no slow hash. */
export function secretDigest(pepper: string, secret: string): Buffer {
  return createHmac('sha256', pepper).update(secret).digest();
}

/**
 * Returns the function that derives the secret for signing an account's webhooks (Standard Webhooks): `whsec_` and 32
 * bytes in base64, from DATA_KEY and the account. So one owner's secret reveals nothing about another's, and none has
 * to be stored.
 */
export function webhookSecretsUnder(dataKey: Buffer): (accountId: string) => string {
  return accountId => `whsec_${createHmac('sha256', dataKey).update(`webhook ${accountId}`).digest('base64')}`;
}

/** Derives the secret for signing message references in mails from DATA_KEY, so that none has to be stored. */
export function mailSecretUnder(dataKey: Buffer): string {
  return createHmac('sha256', dataKey).update('mail').digest('base64');
}
