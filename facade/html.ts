import { createHash } from 'node:crypto';

/** Returns the hash of an inline style or script for a Content-Security-Policy. */
export function policyHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
