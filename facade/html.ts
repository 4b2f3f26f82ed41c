import { createHash } from 'node:crypto';

/** Makes a text stand for itself in HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`);
}

/** What a Content-Security-Policy names of a style or script that stands in the page. */
export function policyHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
