/** Letters and digits of which nobody takes one for another: 32, so that each is worth five bits. */
const SIGNS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Makes a passphrase that nobody guesses and that can be written down: 30 signs, in groups of five. */
export function newPassphrase(): string {
  const signs = [...crypto.getRandomValues(new Uint8Array(30))].map(byte => SIGNS[byte % SIGNS.length]!);
  return signs.join('').replace(/(.{5})(?=.)/g, '$1-');
}
