import { createHmac, timingSafeEqual } from 'node:crypto';

/** How old a signed request may be, or how far ahead its sender's clock, in milliseconds. */
const TOLERANCE_MS = 5 * 60_000;

/** What is signed: `id` is the same however often a message is sent; `secret` is `whsec_` and base64. */
interface Signed {
  secret: string;
  id: string;
  body: string;
}

/**
 * The headers that sign a request as Standard Webhooks does (https://www.standardwebhooks.com): HMAC-SHA-256 over id, time and
 * body. `now` in milliseconds since 1970, by the clock that the receiver's is compared with.
 */
export function signatureHeaders(signed: Signed, now = Date.now()): Record<string, string> {
  const at = String(Math.floor(now / 1000));
  return {
    'webhook-id': signed.id,
    'webhook-timestamp': at,
    'webhook-signature': `v1,${sign(signed, at).toString('base64')}`,
  };
}

/**
 * Whether a request was signed with the secret within the last five minutes: an older one may be a copy that somebody else
 * sends again. `headers` with lower-case names; of several signatures one is enough, so that secrets can be changed.
 */
export function isSigned(
  { secret, headers, body }: { secret: string; headers: Readonly<Record<string, string>>; body: string },
  now = Date.now(),
): boolean {
  const id = headers['webhook-id'] ?? '';
  const at = headers['webhook-timestamp'] ?? '';
  if (id === '' || !/^\d{1,12}$/.test(at) || Math.abs(now - Number(at) * 1000) > TOLERANCE_MS) return false;
  const expected = sign({ secret, id, body }, at);
  return (headers['webhook-signature'] ?? '').split(' ').some(one => {
    const [version, signature = ''] = one.split(',', 2);
    const given = Buffer.from(signature, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function sign({ secret, id, body }: Signed, at: string): Buffer {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(`${id}.${at}.${body}`).digest();
}
