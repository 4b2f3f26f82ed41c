import { createHash } from 'node:crypto';

/** What a Content-Security-Policy names of a style or script that stands in the page. */
export function policyHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
