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

/**
 * KEY_PEPPER, under which everything is digested, and while it is being changed KEY_PEPPER_ALSO, under which what is stored
 * may be digested still (engine/keep/rotation.ts).
 */
export type Pepper = string | { now: string; also: string };

/** Returns HMAC-SHA-256 of a text under the pepper, as it is stored. */
export function underPepper(pepper: Pepper, text: string): Buffer {
  return hmac(typeof pepper === 'string' ? pepper : pepper.now, text);
}

/** Returns the same under each pepper that it may be stored under, the one that is written with first. */
export function underEach(pepper: Pepper, text: string): Buffer[] {
  return typeof pepper === 'string'
    ? [hmac(pepper, text)]
    : [...new Set([pepper.now, pepper.also])].map(one => hmac(one, text));
}

/** Names the pepper that is written with, and reveals nothing of it. */
export function pepperId(pepper: Pepper): string {
  return underPepper(pepper, 'id').toString('base64url').slice(0, 8);
}

/** Returns what proves that this is the pepper of a database, and reveals nothing of it. */
export function pepperProof(pepper: Pepper): string {
  return underPepper(pepper, PROVEN).toString('base64url');
}

/** The text that is digested as a proof. It means nothing. */
const PROVEN = 'tocsin';

function hmac(pepper: string, text: string): Buffer {
  return createHmac('sha256', pepper).update(text).digest();
}

/** Returns what is stored instead of the secret. 178 random bits need no slow hash. */
export function secretDigest(pepper: Pepper, secret: string): Buffer {
  return underPepper(pepper, secret);
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
