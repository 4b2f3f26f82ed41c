import { createHmac, timingSafeEqual } from 'node:crypto';

/** 8 bytes: impossible to guess online, and the local part of an address has little room for more. */
const SIGNATURE_DIGITS = 16;

/**
 * Id, signature, attempt. Only lower-case letters and digits: on the way back servers may change the case of an
 * address.
 */
const REFERENCE = /(?<![a-z0-9])([a-z0-9]{32})([0-9a-f]{16})([1-9]\d{0,5})(?![a-z0-9])/g;

/** The header with the reference of our mails. */
export const REFERENCE_HEADER = 'X-Tocsin-Delivery';

/** The attempt and message a mail was for. */
export interface MailedAttempt {
  deliveryId: string;
  /** Counted from 1. */
  attempt: number;
}

/** References of our mails, which identify what comes back (DECISIONS.md "Returned mail"). */
export interface MailReferences {
  /** Returns the reference: lower-case letters and digits, at most 54 characters; 49 up to the tenth attempt. */
  of(mailed: MailedAttempt): string;
  /** Returns the first reference of ours in a text; null if there is none. Needs no look-up. */
  findIn(text: string): MailedAttempt | null;
}

/**
 * Makes and reads references. Without `secret` nobody can forge one, not even for a message whose id they know. One that was
 * made with `also` is read too.
 */
export function createMailReferences(secret: string, also?: string): MailReferences {
  const signedWith = (key: string, deliveryId: string, attempt: string) =>
    createHmac('sha256', key).update(`mail ${deliveryId} ${attempt}`).digest('hex').slice(0, SIGNATURE_DIGITS);
  const sign = (deliveryId: string, attempt: string) => signedWith(secret, deliveryId, attempt);
  const keys = also === undefined ? [secret] : [secret, also];

  return {
    of: ({ deliveryId, attempt }) => `${deliveryId}${sign(deliveryId, String(attempt))}${attempt}`,
    findIn(text) {
      for (const [, deliveryId = '', signature = '', attempt = ''] of text.toLowerCase().matchAll(REFERENCE)) {
        const isOurs = keys.some(key =>
          timingSafeEqual(Buffer.from(signature), Buffer.from(signedWith(key, deliveryId, attempt))),
        );
        if (isOurs) return { deliveryId, attempt: Number(attempt) };
      }
      return null;
    },
  };
}
