import { timingSafeEqual } from 'node:crypto';
import type { WayBack } from '../domain/alert.ts';
import { isId } from '../store/id.ts';
import { type Pepper, underEach } from '../store/secret.ts';

/** 12 bytes are 16 characters: impossible to guess online, and an SMS has little room for more. */
const SIGNATURE_BYTES = 12;

/** The links that messages carry, and the tokens in them (DECISIONS.md "Acknowledge"). */
export interface Links {
  /** Returns where replies to a delivery lead, at this attempt; null if this deployment has no public address. */
  wayBackOf(deliveryId: string, attempt: number): WayBack | null;
  /** Returns the token of a delivery, which its link ends with. */
  tokenOf(deliveryId: string): string;
  /** Returns the delivery that a token was made for; null if it is not ours. Needs no look-up. */
  deliveryOf(token: string): string | null;
  /** Returns the delivery and attempt that a carrier's reference names; null if it is not ours. */
  attemptOf(reference: string): { deliveryId: string; attempt: number } | null;
  /** Returns the public URL of a path, which a carrier's signature covers; null like wayBackOf. */
  publicUrlOf(path: string): string | null;
}

/**
 * Makes and reads links. A token is the id of a delivery and a signature: it was sent to one person in one message, and
 * ends with its incident (services/responder). `pepper` is KEY_PEPPER; `publicUrl` without trailing slash.
 */
export function createLinks({ pepper, publicUrl }: { pepper: Pepper; publicUrl: () => string | null }): Links {
  /** Of each pepper that a link may be signed under, the one that is written with first. */
  const sign = (deliveryId: string, time = '') =>
    underEach(pepper, `link ${deliveryId}${time}`).map(digest => digest.subarray(0, SIGNATURE_BYTES));

  /** Phones cut a sign off at the end of a link, so it is signed again until it ends in a letter or digit. */
  function signatureOf(deliveryId: string, nth = 0): string {
    for (let time = ''; ; time += ' again') {
      const signature = sign(deliveryId, time)[nth]!.toString('base64url');
      if (/[A-Za-z0-9]$/.test(signature)) return signature;
    }
  }

  function deliveryOf(token: string): string | null {
    const deliveryId = token.slice(0, 32);
    if (!isId(deliveryId) || !/^[A-Za-z0-9_-]{16}$/.test(token.slice(32))) return null;
    const given = Buffer.from(token.slice(32), 'base64url');
    // A message sent before links ended so has the first signature.
    const first = sign(deliveryId);
    const signatures = [...first.map((_, nth) => Buffer.from(signatureOf(deliveryId, nth), 'base64url')), ...first];
    return signatures.some(signature => timingSafeEqual(given, signature)) ? deliveryId : null;
  }

  const tokenOf = (deliveryId: string) => deliveryId + signatureOf(deliveryId);

  return {
    tokenOf,
    wayBackOf(deliveryId, attempt) {
      const url = publicUrl();
      if (url === null) return null;
      const token = tokenOf(deliveryId);
      return { pageUrl: `${url}/i/${token}`, carrierUrl: `${url}/carrier`, reference: `${token}/${attempt}` };
    },
    deliveryOf,
    attemptOf(reference) {
      const [token = '', attempt = ''] = reference.split('/', 2);
      const deliveryId = deliveryOf(token);
      if (deliveryId === null || !/^[1-9]\d{0,5}$/.test(attempt)) return null;
      return { deliveryId, attempt: Number(attempt) };
    },
    publicUrlOf(path) {
      const url = publicUrl();
      return url === null ? null : url + path;
    },
  };
}
