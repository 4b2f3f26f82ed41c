import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Fields } from '../form.ts';

/**
 * Tells whether Twilio made a request: its signature is an HMAC-SHA1 under the auth token over the whole URL and the
 * fields sorted by name, each as name and value (https://www.twilio.com/docs/usage/security#validating-requests).
 * Twilio signs the URL sometimes with its port and sometimes without: both count.
 */
export function isSigned(on: { authToken: string; url: string; fields: Fields; signature: string }): boolean {
  const given = Buffer.from(on.signature);
  const written = writeFields(on.fields);
  return spellings(on.url).some(url => {
    const expected = Buffer.from(
      createHmac('sha1', on.authToken)
        .update(url + written)
        .digest('base64'),
    );
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
}

/** A value repeated for the same name counts once. */
function writeFields(fields: Fields): string {
  return [...fields.keys()]
    .sort()
    .flatMap(name => [...new Set(fields.get(name))].sort().map(value => name + value))
    .join('');
}

function spellings(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { protocol, username, password, hostname, port, pathname, search } = new URL(url);
  const login = username === '' ? '' : `${username}${password === '' ? '' : `:${password}`}@`;
  const written = (at: string) => `${protocol}//${login}${hostname}${at}${pathname}${search}`;
  return [...new Set([url, written(''), written(`:${port || (protocol === 'https:' ? 443 : 80)}`)])];
}
