import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';

/** How far the time of a signature may be from ours: a request that is older may be replayed by somebody else. */
const TOLERANCE_MS = 5 * 60_000;

/** What comes before the 32 bytes of an Ed25519 key (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** Reads a public key as Telnyx shows it: 32 bytes in base64. Throws if it is none. */
export function readPublicKey(text: string): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI, Buffer.from(text, 'base64')]), format: 'der', type: 'spki' });
}

/**
 * Tells whether Telnyx signed a body within the last five minutes: Ed25519 under the account's key, over the time, a
 * bar and the body (https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks).
 */
export function isSigned(
  on: { publicKey: KeyObject; headers: Readonly<Record<string, string>>; body: string },
  now = Date.now(),
): boolean {
  const at = on.headers['telnyx-timestamp'] ?? '';
  const signature = on.headers['telnyx-signature-ed25519'] ?? '';
  if (!/^\d{1,12}$/.test(at) || Math.abs(now - Number(at) * 1000) > TOLERANCE_MS) return false;
  if (!/^[A-Za-z0-9+/]{86}==$/.test(signature)) return false;
  return verify(null, Buffer.from(`${at}|${on.body}`), on.publicKey, Buffer.from(signature, 'base64'));
}

/**
 * Returns a callback URL with a proof that we made it: Telnyx's signature leaves the address out, so that one of its
 * requests could otherwise be played again at the address of another message.
 */
export function withProof(apiKey: string, url: string): string {
  return `${url}?proof=${proofOf(apiKey, url)}`;
}

/** Tells whether we made an address (withProof). */
export function isOurs(apiKey: string, url: string): boolean {
  const [address = '', query = ''] = url.split('?', 2);
  const given = Buffer.from(new URLSearchParams(query).get('proof') ?? '');
  const expected = Buffer.from(proofOf(apiKey, address));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Of the path from `/carrier/` on: where this deployment is may change while a message is under way. */
function proofOf(apiKey: string, address: string): string {
  const path = address.slice(Math.max(0, address.lastIndexOf('/carrier/')));
  return createHmac('sha256', apiKey).update(`callback ${path}`).digest('base64url').slice(0, 32);
}
