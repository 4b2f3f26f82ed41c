import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * What a secret gives access to: `toc` to the actions and reads of /v1, `tcn` to the incident and console services,
 * `tcs` to the same for a signed-in session; `tcl` signs in once; `tcp` does so on a second device; `tcc` confirms an address.
 */
export type SecretKind = 'toc' | 'tcn' | 'tcs' | 'tcl' | 'tcp' | 'tcc';

const SHAPE = /^(toc|tcn|tcs|tcl|tcp|tcc)_[0-9A-Za-z]{36}$/;

/** The random part of a secret, and that part with its kind, in characters. */
const RANDOM = 30;
const BODY = 34;

/** Returns a secret of this kind with its checksum. `random` makes so many characters of an alphabet. */
export function shapeSecret(kind: SecretKind, random: (alphabet: string, length: number) => string): string {
  const body = `${kind}_${random(BASE62, RANDOM)}`;
  return body + checksum(body);
}

/** Tells whether a text has the format and checksum of a secret of this kind. Needs no look-up. */
export function isSecret(kind: SecretKind, text: string): boolean {
  return text.startsWith(kind) && SHAPE.test(text) && checksum(text.slice(0, BODY)) === text.slice(BODY);
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
