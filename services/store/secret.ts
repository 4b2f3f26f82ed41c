import { createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { isGuessable } from '../domain/guessable.ts';
import { randomText } from './id.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * What a secret gives access to: `toc` to the actions and reads of /v1, `tcn` to the incident and console services,
 * `tcs` to the same for a signed-in session; `tcl` signs in once; `tcc` confirms an address.
 */
export type SecretKind = 'toc' | 'tcn' | 'tcs' | 'tcl' | 'tcc';

const SHAPE = /^(toc|tcn|tcs|tcl|tcc)_[0-9A-Za-z]{36}$/;

/**
 * Returns a new secret (DECISIONS.md "Key format"): its kind, 30 random base62 characters (178 bits) and 6 of CRC32.
 * Prefix and checksum let scanners find a leaked one and let us refuse a mistyped one without a look-up.
 */
export function newSecret(kind: SecretKind): string {
  const body = `${kind}_${randomText(BASE62, 30)}`;
  return body + checksum(body);
}

/** Tells whether a text has the format and checksum of a secret of this kind. Needs no look-up. */
export function isSecret(kind: SecretKind, text: string): boolean {
  return text.startsWith(kind) && SHAPE.test(text) && checksum(text.slice(0, 34)) === text.slice(34);
}

/** Tells whether a secret that somebody chose can be guessed. One in our own format is trusted. */
export function isGuessableSecret(secret: string): boolean {
  return isGuessable(secret.slice(4, 34));
}

/** Returns what is stored instead of the secret: HMAC-SHA-256 under the pepper. 178 random bits need no slow hash. */
export function secretDigest(pepper: string, secret: string): Buffer {
  return createHmac('sha256', pepper).update(secret).digest();
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < 6; i++) {
    text = BASE62[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
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
