import { createECDH, createPrivateKey, sign } from 'node:crypto';
import type { PushKey } from '../devices.ts';

/** For how long what is signed counts, in seconds: a day is the most, and clocks differ. */
const GOOD_S = 12 * 60 * 60;

/** Makes a new one. Every browser subscribes for one key: with another one none of them rings any more. */
export function newVapidKey(): PushKey {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return { publicKey: pair.getPublicKey('base64url'), privateKey: pair.getPrivateKey('base64url') };
}

/**
 * Returns what proves to the push service of an endpoint who sends. `contact`: whom it can write to, a mail address or an https URL. `now`:
 * milliseconds since 1970 as other machines count them.
 */
export function vapidHeader(
  endpoint: string,
  { publicKey, privateKey }: PushKey,
  contact: string,
  now: number,
): string {
  const sub = contact.startsWith('https:') ? contact : `mailto:${contact}`;
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1_000) + GOOD_S, sub };
  const said = [{ typ: 'JWT', alg: 'ES256' }, claims].map(part =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const point = Buffer.from(publicKey, 'base64url');
  const jwk = {
    ...{ kty: 'EC', crv: 'P-256', d: privateKey },
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(said.join('.')), { key, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${said.join('.')}.${signature.toString('base64url')}, k=${publicKey}`;
}
