import { randomBytes } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** The shape of every identifier (DECISIONS.md "Ids"): compared exactly, nothing else is ever looked up. */
const ID = /^[a-z0-9]{32}$/;

/** A fresh identifier: 32 lower-case letters and digits, 165 random bits, never reused. */
export function newId(): string {
  return randomText(ALPHABET, 32);
}

/** Whether a text from outside can be an identifier at all. */
export function isId(text: string): boolean {
  return ID.test(text);
}

/** Random characters of an alphabet, each equally likely: bytes beyond the last whole multiple are thrown away. */
export function randomText(alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

/** Without vowels, and without what is read wrongly from a small display: 0 and O, 1 and I, 5 and S. */
const REPLY_ALPHABET = 'BCDFGHJKMNPQRTVWXYZ2346789';

/** A fresh code by which a text names an incident: 4 letters and digits. Found together with the number that it came from. */
export function newReplyCode(): string {
  return randomText(REPLY_ALPHABET, 4);
}
