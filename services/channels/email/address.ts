import { domainToASCII } from 'node:url';
import { EMAIL_ADDRESS } from '../../process/vocabulary.ts';

/** The longest address that SMTP carries, and the longest part before its `@` (RFC 5321 4.5.3.1). */
const LONGEST = 254;
const LONGEST_LOCAL = 64;

/**
 * The address to put on the envelope, or null for what is none: `name@domain` with a plain ASCII name; a domain in any
 * script, which comes back in ASCII (`bücher.example` as `xn--bcher-kva.example`). No display names, comments or lists:
 * nothing of what a person typed is left to be read a second way by a mail server.
 */
export function mailAddress(typed: string): string | null {
  const at = typed.lastIndexOf('@');
  const local = typed.slice(0, at);
  const domain = typed.slice(at + 1);
  if (at < 1 || local.length > LONGEST_LOCAL || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain)) return null;
  const address = `${local}@${domainToASCII(domain)}`;
  return address.length <= LONGEST && EMAIL_ADDRESS.test(address) ? address : null;
}

/** Whether an address that mailAddress gave is a placeholder: those under .invalid exist nowhere (RFC 2606). */
export function isPlaceholder(address: string): boolean {
  return address.endsWith('.invalid');
}
