import { createHmac, timingSafeEqual } from 'node:crypto';

/*
 * Signs and checks webhooks. The package `standardwebhooks` (1.1) supports only `v1`, hashes in JavaScript and reads
 * the clock itself: `v2` would still need all of this.
 */

/** How old a signed request may be, or how far ahead its sender's clock, in milliseconds. */
const TOLERANCE_MS = 5 * 60_000;

/**
 * What a signature covers. `v1`: id, time and body, as in Standard Webhooks; `v2`: method and path too, so that what
 * was signed for one place cannot be replayed at another.
 */
export type SignatureVersion = 'v1' | 'v2';

/** What is signed: `id` is the same however often a message is sent; `secret` is `whsec_` and base64. */
interface Signed {
  secret: string;
  id: string;
  /** The public URL it is posted to, as its sender writes it. */
  url: string;
  body: string;
}

/**
 * Returns the headers that sign a POST like Standard Webhooks (https://www.standardwebhooks.com), in both versions: a
 * receiver checks the one it knows. `also`: further secrets, while it is being changed. `now` in milliseconds since 1970, by the clock that the receiver compares with.
 */
export function signatureHeaders(
  { also = [], ...signed }: Signed & { also?: readonly string[] },
  now = Date.now(),
): Record<string, string> {
  const at = String(Math.floor(now / 1000));
  const signatures = [signed.secret, ...also].flatMap(secret =>
    [...signaturesOf({ ...signed, secret }, at)].map(([version, digest]) => `${version},${digest.toString('base64')}`),
  );
  return { 'webhook-id': signed.id, 'webhook-timestamp': at, 'webhook-signature': signatures.join(' ') };
}

/**
 * Tells whether a POST was signed with the secret within the last five minutes: an older one may be replayed by
 * somebody else. `headers` with lower-case names; one valid signature of several is enough, so that secrets can be
 * changed. `least`: with `v2` a signature that leaves out the path does not count.
 */
export function isSigned(
  request: Omit<Signed, 'id'> & { headers: Readonly<Record<string, string>>; least: SignatureVersion },
  now = Date.now(),
): boolean {
  const { headers, least } = request;
  const id = headers['webhook-id'] ?? '';
  const at = headers['webhook-timestamp'] ?? '';
  if (id === '' || !/^\d{1,12}$/.test(at) || Math.abs(now - Number(at) * 1000) > TOLERANCE_MS) return false;
  const expected: Map<string, Buffer> = signaturesOf({ ...request, id }, at);
  if (least === 'v2') expected.delete('v1');
  return (headers['webhook-signature'] ?? '').split(' ').some(one => {
    const [version = '', signature = ''] = one.split(',', 2);
    const given = Buffer.from(signature, 'base64');
    const right = expected.get(version);
    return right !== undefined && given.length === right.length && timingSafeEqual(given, right);
  });
}

/** In `v2` each part has a line of its own: only the body can contain a line feed, so no two requests look alike. */
function signaturesOf({ secret, id, url, body }: Signed, at: string): Map<SignatureVersion, Buffer> {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const sign = (content: string) => createHmac('sha256', key).update(content).digest();
  const { pathname, search } = new URL(url);
  return new Map([
    ['v1', sign(`${id}.${at}.${body}`)],
    ['v2', sign([id, at, 'POST', pathname + search, body].join('\n'))],
  ]);
}
