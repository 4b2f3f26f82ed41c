import { randomBytes } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** The format of every identifier (DECISIONS.md "Ids"). Compared exactly; nothing else is ever looked up. */
const ID = /^[a-z0-9]{32}$/;

/** Returns a new identifier: 32 lower-case letters and digits, 165 random bits. */
export function newId(): string {
  return randomText(ALPHABET, 32);
}

/** Tells whether a text from outside has the format of an identifier. */
export function isId(text: string): boolean {
  return ID.test(text);
}

/**
 * Returns random characters of an alphabet, each equally likely: bytes beyond the last whole multiple are discarded.
 */
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

/** Without vowels, and without characters that are easily misread on a small display: 0 and O, 1 and I, 5 and S. */
const REPLY_ALPHABET = 'BCDFGHJKMNPQRTVWXYZ2346789';

/**
 * Returns a new reply code, 4 letters and digits, with which an SMS names an incident. Looked up together with the
 * sender's number.
 */
export function newReplyCode(): string {
  return randomText(REPLY_ALPHABET, 4);
}
