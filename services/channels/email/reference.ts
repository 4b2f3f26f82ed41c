import { createHmac, timingSafeEqual } from 'node:crypto';

/** 8 bytes: nobody guesses them online, and the part of an address before its `@` has room for little more. */
const SIGNATURE_DIGITS = 16;

/** Id, signature, attempt. Small letters and digits only: on the way back servers may change the case of an address. */
const REFERENCE = /(?<![a-z0-9])([a-z0-9]{32})([0-9a-f]{16})([1-9]\d{0,5})(?![a-z0-9])/g;

/** The header by which our mails say what they are called by. */
export const REFERENCE_HEADER = 'X-Tocsin-Delivery';

/** Which attempt of which message a mail was. */
export interface MailedAttempt {
  deliveryId: string;
  /** Counted from 1. */
  attempt: number;
}

/** What our mails are called by, so that what comes back shows which one it was (DECISIONS.md "Returned mail"). */
export interface MailReferences {
  /** Small letters and digits, 54 characters at most; up to the tenth attempt 49. */
  of(mailed: MailedAttempt): string;
  /** The first one of ours that stands in a text; null: there is none. Costs no look-up. */
  findIn(text: string): MailedAttempt | null;
}

/** Makes and reads references. Without `secret` nobody can name a message, not even one whose id they know. */
export function createMailReferences(secret: string): MailReferences {
  const sign = (deliveryId: string, attempt: string) =>
    createHmac('sha256', secret).update(`mail ${deliveryId} ${attempt}`).digest('hex').slice(0, SIGNATURE_DIGITS);

  return {
    of: ({ deliveryId, attempt }) => `${deliveryId}${sign(deliveryId, String(attempt))}${attempt}`,
    findIn(text) {
      for (const [, deliveryId = '', signature = '', attempt = ''] of text.toLowerCase().matchAll(REFERENCE)) {
        if (timingSafeEqual(Buffer.from(signature), Buffer.from(sign(deliveryId, attempt))))
          return { deliveryId, attempt: Number(attempt) };
      }
      return null;
    },
  };
}
